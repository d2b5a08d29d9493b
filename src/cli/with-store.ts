import { InvalidRequestError } from '../errors/index.ts'
import { openStore } from '../http/serve/open-store.ts'
import { boundStore } from '../http/usage/bounded-store.ts'
import type { UsageStore } from '../http/usage/usage-store.ts'

/**
 * Opens the store that `--store` names for as long as `work` takes. A server that stops to answer ends the command rather than
 * holding it.
 *
 * @throws InvalidRequestError for a store that cannot be used
 * @throws StoreUnavailableError where a call of it fails or takes longer than 2 seconds
 */
export async function withStore<T>(
  name: string,
  acceptLoss: boolean,
  work: (store: UsageStore) => Promise<T>,
): Promise<T> {
  if (name === 'memory') throw new InvalidRequestError('--store', 'must be a file or a Redis server')
  const store = boundStore(await openStore(name, { acceptLoss }))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
