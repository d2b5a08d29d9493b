import type { UsageStore } from '../usage/usage-store.ts'

/** A store whose clock says what a test wants. */
export function withClock(store: UsageStore, now: () => number): UsageStore {
  return {
    ...store,
    read: async (name, signal) => ({ ...(await store.read(name, signal)), now: now() }),
    update: (name, change, options) => store.update(name, (document) => change(document, now()), options),
  }
}
