import type { UsageStore } from './usage-store.ts'

interface Kept {
  readonly document: string
  /** Milliseconds since 1970; infinite where it stays for good. */
  readonly expires: number
}

/** Written documents between two searches for those that have expired. */
const SWEEP_EVERY = 1000

/**
 * Accounts in this process, gone with it.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'], store: createMemoryStore() })
 * ```
 */
export function createMemoryStore(): UsageStore {
  const documents = new Map<string, Kept>()
  let writes = 0

  function read(name: string, now: number): string | undefined {
    const kept = documents.get(name)
    return kept && kept.expires > now ? kept.document : undefined
  }

  function sweep(now: number): void {
    for (const [name, { expires }] of documents) if (expires <= now) documents.delete(name)
  }

  return {
    async read(name) {
      const now = Date.now()
      return { document: read(name, now), now }
    },
    async update(name, change, { keepMs = Number.POSITIVE_INFINITY } = {}) {
      const now = Date.now()
      const document = read(name, now)
      const next = change(document, now)
      if (next === undefined) documents.delete(name)
      else if (next !== document) documents.set(name, { document: next, expires: now + keepMs })
      if (++writes % SWEEP_EVERY === 0) sweep(now)
    },
    async names(prefix) {
      sweep(Date.now())
      return [...documents.keys()].filter((name) => name.startsWith(prefix))
    },
    close: async () => {},
  }
}
