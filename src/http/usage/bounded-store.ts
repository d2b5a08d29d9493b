import { StoreUnavailableError } from '../../errors/index.ts'
import type { UsageStore } from './usage-store.ts'

const DEADLINE_MS = 2000

/**
 * The same store, none of whose calls takes longer than 2 seconds.
 *
 * @returns a store that throws what `change` threw, and StoreUnavailableError for every fault of its own
 */
export function boundStore(store: UsageStore): UsageStore {
  const { countRequest } = store
  return {
    read: (name) => withDeadline((signal) => store.read(name, signal)),
    async update(name, change, options) {
      let refused: { readonly by: unknown } | undefined
      const guarded: typeof change = (document, now) => {
        try {
          return change(document, now)
        } catch (error) {
          refused = { by: error }
          throw error
        }
      }
      await withDeadline((signal) => store.update(name, guarded, { ...options, signal })).catch((error: unknown) => {
        throw refused ? refused.by : error
      })
    },
    ...(countRequest && {
      countRequest: (account, perMinute) => withDeadline(() => countRequest(account, perMinute)),
    }),
    close: () => store.close(),
  }
}

/** @throws StoreUnavailableError */
async function withDeadline<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const reason = new Error(`the store did not answer within ${DEADLINE_MS} ms`)
      reject(reason)
      controller.abort(reason)
    }, DEADLINE_MS)
  })
  try {
    return await Promise.race([call(controller.signal), late])
  } catch (cause) {
    throw new StoreUnavailableError(undefined, { cause })
  } finally {
    clearTimeout(timer)
  }
}
