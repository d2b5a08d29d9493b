import { inTime } from '../../errors/in-time.ts'
import { StoreUnavailableError } from '../../errors/index.ts'
import { DEADLINE_MS } from '../../redis/answer-in-time.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { UsageStore } from './usage-store.ts'

type Operation = Parameters<ServerMetrics['stored']>[0]

/**
 * The same store, none of whose calls takes longer than 2 seconds.
 *
 * @returns a store that throws what `change` threw, and StoreUnavailableError for every fault of its own
 */
export function boundStore(store: UsageStore, metrics?: Pick<ServerMetrics, 'stored'>): UsageStore {
  const { countRequest } = store
  const timed = async <T>(operation: Operation, call: (signal: AbortSignal) => Promise<T>, isFault = () => true) => {
    const started = performance.now()
    let failed = true
    try {
      const result = await withDeadline(call)
      failed = false
      return result
    } finally {
      metrics?.stored(operation, (performance.now() - started) / 1000, failed && isFault())
    }
  }
  return {
    read: (name) => timed('read', (signal) => store.read(name, signal)),
    async update(name, change, options) {
      let refused: { readonly by: unknown } | undefined
      const guarded: typeof change = (document, now) => {
        // What refused a change may be gone when it runs again.
        refused = undefined
        try {
          return change(document, now)
        } catch (error) {
          refused = { by: error }
          throw error
        }
      }
      const update = (signal: AbortSignal) => store.update(name, guarded, { ...options, signal })
      await timed('update', update, () => refused === undefined).catch((error: unknown) => {
        throw refused ? refused.by : error
      })
    },
    names: (prefix) => timed('read', (signal) => store.names(prefix, signal)),
    ...(countRequest && {
      countRequest: (...counted) => timed('count', () => countRequest(...counted)),
    }),
    close: () => store.close(),
  }
}

/** @throws StoreUnavailableError */
async function withDeadline<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  try {
    return await inTime(call(controller.signal), DEADLINE_MS, 'the store')
  } catch (cause) {
    controller.abort(cause)
    throw new StoreUnavailableError(undefined, { cause })
  }
}
