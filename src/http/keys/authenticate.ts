import { AuthenticationError } from '../../errors/index.ts'
import type { ApiKey, KeyStore } from './key-store.ts'
import { hash, nameOfDigest } from './static-keys.ts'

/** Who sent a request that needs no key: on a server without keys all such requests are of one account. */
export const ANYONE: ApiKey = { id: 'anyone' }

/**
 * Who sent a request, by its headers alone: the body is not read for strangers.
 *
 * @throws AuthenticationError for a missing, malformed, unknown or expired key
 */
export async function authenticate(headers: Headers, keys: KeyStore): Promise<ApiKey> {
  const key = readKey(headers)
  const found = key === undefined ? undefined : await keys.find(key)
  // A store that looks into a database may well find null.
  if (!found) throw new AuthenticationError()
  const { expires } = found
  // What is no time has no end that could be in the future.
  if (expires !== undefined && !(Date.parse(expires) > Date.now())) {
    throw new AuthenticationError(`the API key expired at ${expires}; ask for a new one`)
  }
  return found
}

/** What the key of a request is called, known or not. */
export function nameOfKey(headers: Headers): string | undefined {
  const key = readKey(headers)
  return key === undefined ? undefined : nameOfDigest(hash(key))
}

/** Two Authorization headers arrive joined by a comma and a space, which is no key. */
function readKey(headers: Headers): string | undefined {
  return /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get('authorization') ?? '')?.[1]
}
