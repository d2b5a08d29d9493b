import { InvalidRequestError } from '../errors/index.ts'
import { openStore } from '../http/serve/open-store.ts'
import { boundStore } from '../http/usage/bounded-store.ts'
import type { UsageStore } from '../http/usage/usage-store.ts'
import { exists } from '../models/files/exists.ts'

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

/**
 * Refuses an SQLite file that is not there: opening it would make it, and a misspelt name would be told as a store without keys or use.
 *
 * @throws InvalidRequestError saying so
 */
export async function requireStore(name: string): Promise<void> {
  if (name === 'memory' || name.includes('://') || (await exists(name))) return
  throw new InvalidRequestError('--store', `the file ${name} is not there; tessera serve and tessera keys add make it`)
}
