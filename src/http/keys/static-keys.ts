import { createHash, timingSafeEqual } from 'node:crypto'
import { InvalidRequestError } from '../../errors/index.ts'
import { type KeyConfig, keyConfigSchema } from './key-config.ts'
import type { ApiKey, KeyStore } from './key-store.ts'
import type { Scope } from './scopes.ts'

interface Entry {
  readonly digest: Buffer
  readonly apiKey: ApiKey
}

/**
 * Keys from a list, of which only SHA-256 digests stay in memory.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: createKeyStore(['a-long-secret', { key: 'another', id: 'shop' }]) })
 * ```
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
  // Those few whose digests, which nobody can choose, begin alike are compared in constant time: with thousands of keys,
  // all of them would take milliseconds of every request.
  const alike = new Map<number, Entry[]>()
  for (const entry of entries) {
    const start = entry.digest.readUInt32BE()
    alike.set(start, [...(alike.get(start) ?? []), entry])
  }
  return {
    find(key) {
      const digest = hash(key)
      return alike.get(digest.readUInt32BE())?.find((entry) => timingSafeEqual(entry.digest, digest))?.apiKey
    },
    accounts: () => entries.map(({ apiKey }) => apiKey),
  }
}

/** @throws as `createKeyStore` for a list */
export function toKeyStore(keys: KeyStore | readonly (string | KeyConfig)[]): KeyStore {
  return isList(keys) ? createKeyStore(keys) : keys
}

function isList(keys: KeyStore | readonly (string | KeyConfig)[]): keys is readonly (string | KeyConfig)[] {
  return Array.isArray(keys)
}

/** Variables of the keys of operators, and what these are good for. */
export const OPERATOR_VARIABLES = {
  TESSERA_METRICS_KEYS: 'metrics',
  TESSERA_ADMIN_KEYS: 'admin',
} as const satisfies Record<string, Scope>

const VARIABLES: Readonly<Record<string, Scope | undefined>> = { TESSERA_API_KEYS: undefined, ...OPERATOR_VARIABLES }

/**
 * The keys of `TESSERA_API_KEYS`, separated by commas, and beside them those for operators of `TESSERA_METRICS_KEYS` and
 * `TESSERA_ADMIN_KEYS`; undefined where none of them is set.
 */
export function readKeysFromEnvironment(env: Readonly<Record<string, string | undefined>>): KeyStore | undefined {
  const keys = Object.entries(VARIABLES).flatMap(([name, scope]) =>
    readVariable(name, env[name]).map((key) => (scope === undefined ? key : { key, scopes: [scope] })),
  )
  return keys.length === 0 ? undefined : createKeyStore(keys)
}

function readVariable(name: string, list: string | undefined): string[] {
  if (list === undefined) return []
  const keys = list
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
  // Set but empty is a secret that did not arrive. Taking it as "no keys wanted" would open the server to everyone.
  if (keys.length === 0) throw new InvalidRequestError(name, 'must list at least one key or be unset, got none')
  return keys
}

/** SHA-256 is enough for keys, which unlike passwords are long and random. */
export function hash(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

/** What a key is called, which is no secret: the first digits of its SHA-256. */
export function nameOfDigest(digest: Buffer): string {
  return `key_${digest.toString('hex').slice(0, 12)}`
}

function readEntry(given: string | KeyConfig, index: number): Entry {
  const result = keyConfigSchema.safeParse(typeof given === 'string' ? { key: given } : given)
  if (!result.success) {
    const { path, code, message } = result.error.issues[0]!
    // A name that is no setting may be the key itself.
    const reason = code === 'unrecognized_keys' ? 'has a field that is no setting of a key' : message
    throw new InvalidRequestError(['keys', index, ...path].join('.'), reason)
  }
  const { key, sha256, id, created: _, prefix: __, loopback: ___, ...settings } = result.data
  const digest = key === undefined ? Buffer.from(sha256!, 'hex') : hash(key)
  const present = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  return { digest, apiKey: { ...present, id: id ?? nameOfDigest(digest) } }
}

function refuseRepeated(entries: readonly Entry[]): void {
  const digests = new Set<string>()
  for (const [index, { digest }] of entries.entries()) {
    if (digests.size === digests.add(digest.toString('hex')).size) {
      throw new InvalidRequestError(`keys.${index}.key`, 'must not be the same key as another')
    }
  }
}

/** Settings that keys of one name share; the others are each key's own. */
export const OF_ACCOUNT = ['freeTokens', 'prepaid', 'requestsPerMinute', 'tokensPerMinute', 'concurrency'] as const

/** Keys of one name share an account, so that a new key can take the place of an old one. It has one set of settings. */
function refuseDiffering(entries: readonly Entry[]): void {
  const accounts = new Map<string, ApiKey>()
  for (const [index, { apiKey }] of entries.entries()) {
    const first = accounts.get(apiKey.id) ?? apiKey
    accounts.set(apiKey.id, first)
    const field = OF_ACCOUNT.find((name) => first[name] !== apiKey[name])
    if (field)
      throw new InvalidRequestError(`keys.${index}.${field}`, 'must be the same as of the first key with this id')
  }
}
