import type { UsageStore } from './usage-store.ts'

/** Accounts in this process, gone with it. */
export function createMemoryStore(): UsageStore {
  const documents = new Map<string, string>()
  return {
    read: async (account) => documents.get(account),
    update: async (account, change) => void documents.set(account, change(documents.get(account))),
    close: async () => {},
  }
}
