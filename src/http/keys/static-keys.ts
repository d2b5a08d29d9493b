import { createHash, timingSafeEqual } from 'node:crypto'
import { InvalidRequestError } from '../../errors/index.ts'
import { type KeyConfig, keyConfigSchema } from './key-config.ts'
import type { ApiKey, KeyStore } from './key-store.ts'

interface Entry {
  readonly digest: Buffer
  readonly apiKey: ApiKey
}

/**
 * Keys from a list, of which only SHA-256 digests stay in memory.
 *
 * @param keys A key, or its settings.
 * @throws InvalidRequestError for an empty list, a key that cannot be sent in a header, two equal keys, or keys of one
 * name whose settings differ. It never shows a key.
 */
export function createKeyStore(keys: readonly (string | KeyConfig)[]): KeyStore {
  if (keys.length === 0) throw new InvalidRequestError('keys', 'must list at least one key, got none')
  const entries = keys.map(readEntry)
  refuseRepeated(entries)
  refuseDiffering(entries)
  return {
    find(key) {
      const digest = hash(key)
      // Every entry is compared, found or not: the time says neither whether nor where a key matched.
      return entries.reduce<ApiKey | undefined>(
        (found, entry) => (timingSafeEqual(entry.digest, digest) ? entry.apiKey : found),
        undefined,
      )
    },
  }
}

/** The keys of `TESSERA_API_KEYS`, separated by commas; undefined where it is not set. */
export function readKeysFromEnvironment(env: Readonly<Record<string, string | undefined>>): KeyStore | undefined {
  const list = env.TESSERA_API_KEYS
  if (list === undefined) return undefined
  // Set but empty is a secret that did not arrive. Taking it as "no keys wanted" would open the server to everyone.
  const keys = list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  if (keys.length === 0)
    throw new InvalidRequestError('TESSERA_API_KEYS', 'must list at least one key or be unset, got none')
  return createKeyStore(keys)
}

/** SHA-256 is enough for keys, which unlike passwords are long and random. */
export function hash(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

function readEntry(given: string | KeyConfig, index: number): Entry {
  const result = keyConfigSchema.safeParse(typeof given === 'string' ? { key: given } : given)
  if (!result.success) {
    const { path, code, message } = result.error.issues[0]!
    // A name that is no setting may be the key itself.
    const reason = code === 'unrecognized_keys' ? 'has a field that is no setting of a key' : message
    throw new InvalidRequestError(['keys', index, ...path].join('.'), reason)
  }
  const { key, sha256, id, ...settings } = result.data
  const digest = key === undefined ? Buffer.from(sha256!, 'hex') : hash(key)
  const present = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  return { digest, apiKey: { ...present, id: id ?? `key_${digest.toString('hex').slice(0, 12)}` } }
}

function refuseRepeated(entries: readonly Entry[]): void {
  const digests = entries.map(({ digest }) => digest.toString('hex'))
  const second = digests.findIndex((digest, index) => digests.indexOf(digest) < index)
  if (second >= 0) throw new InvalidRequestError(`keys.${second}.key`, 'must not be the same key as another')
}

/** Keys of one name share an account, so that a new key can take the place of an old one. It has one set of settings. */
function refuseDiffering(entries: readonly Entry[]): void {
  const accounts = new Map<string, ApiKey>()
  for (const [index, { apiKey }] of entries.entries()) {
    const first = accounts.get(apiKey.id) ?? apiKey
    accounts.set(apiKey.id, first)
    const names = Object.keys({ ...first, ...apiKey }) as (keyof ApiKey)[]
    const field = names.find((name) => first[name] !== apiKey[name])
    if (field)
      throw new InvalidRequestError(
        `keys.${index}.${field}`,
        `must be the same ${field} as of the first key with this id`,
      )
  }
}
