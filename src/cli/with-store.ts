import { InvalidRequestError, StoreUnavailableError } from '../errors/index.ts'
import { UnsureChangeError } from '../http/keys/stored-keys.ts'
import { openStore } from '../http/serve/open-store.ts'
import { boundStore } from '../http/usage/bounded-store.ts'
import type { UsageStore } from '../http/usage/usage-store.ts'
import { exists } from '../models/files/exists.ts'

/**
 * Opens the store that `--store` names for as long as `work` takes. A server that stops to answer ends the command rather than
 * holding it.
 *
 * @throws InvalidRequestError for a store that cannot be used
 * @throws StoreUnavailableError saying why, where a call of it fails or takes longer than 2 seconds
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
  } catch (error) {
    throw withReason(error)
  } finally {
    await store.close()
  }
}

/** Callers of a service are told to come again; whoever runs this command has the store to see to. */
function withReason(error: unknown): unknown {
  if (!StoreUnavailableError.isInstance(error) || error instanceof UnsureChangeError) return error
  const { cause } = error
  if (!(cause instanceof Error)) return error
  return new StoreUnavailableError(`the store failed (${cause.message}); try again when that is mended`, { cause })
}

/**
 * Refuses an SQLite file that is not there: opening it would make it, and a misspelt name would be told as a store without keys or use.
 *
 * @throws InvalidRequestError saying so
 */
export async function requireStore(name: string): Promise<void> {
  if (name === 'memory' || name.includes('://') || (await exists(name))) return
  throw new InvalidRequestError(
    '--store',
    `the file ${name} is not there; npx tessera-onnx serve and npx tessera-onnx keys add make it`,
  )
}
