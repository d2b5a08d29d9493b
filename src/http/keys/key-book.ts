import * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import { digest } from '../digest.ts'
import { conflict } from '../idempotency-key.ts'
import { AMOUNTS_END, formatAmount, parseAmount } from '../usage/money.ts'
import type { KeyConfig } from './key-config.ts'
import type { FreshKey } from './make-key.ts'
import { DEFAULT_SCOPES, type Scope } from './scopes.ts'
import { createKeyStore, hash, nameOfDigest, OF_ACCOUNT } from './static-keys.ts'

/** A top-up that was made. It may be asked for again where its answer came late, and must not be made twice. */
interface MadeTopUp {
  /** Of the account and the id: neither can be read from it. */
  readonly digest: string
  /** In EUR. */
  readonly amount: string
  /** When it is forgotten, in milliseconds since 1970. */
  readonly expires: number
}

/** Keys as a file or a store has them: `{ "keys": [...] }`, each a key or its settings. */
export interface KeyBook {
  readonly keys: readonly (string | KeyConfig)[]
  /** Those of the last day, in a store alone; absent where there was none. */
  readonly topUps?: readonly MadeTopUp[] | undefined
}

/** What a new key is given. */
export type KeySettings = Omit<KeyConfig, 'key' | 'sha256' | 'prefix' | 'created' | 'loopback'>

/** A book as it is after a change, and what was changed: names, never keys. */
export interface BookChange {
  readonly book: KeyBook
  readonly account: string
  /** Of the key that was made or ended; absent where the whole account changed. */
  readonly key?: string
  /** More of what was done, such as an amount. */
  readonly detail?: string
  /** All that was ever paid in for the account, in EUR, where that is what changed. */
  readonly prepaid?: string
  /** By which the change is known when it is asked for again; nothing can be read from it. */
  readonly digest?: string
}

/** For how many milliseconds two keys hold, from when on in milliseconds since 1970. */
export interface Overlap {
  readonly now: number
  readonly forMs: number
}

/** By what a top-up is known when it is asked for again, and when it is asked for, in milliseconds since 1970. */
export interface TopUpId {
  readonly id: string
  readonly now: number
}

/** One key as it may be shown. */
export interface ListedKey extends Omit<KeySettings, 'id'> {
  /** `key_` and the first 12 digits of its SHA-256, by which it is revoked and rotated. */
  readonly name: string
  /** How it begins; absent where it was not made by Tessera. */
  readonly prefix?: string | undefined
  readonly account: string
  readonly scopes: Scope[]
  readonly created?: string | undefined
}

/** As long as the service knows other requests by their `Idempotency-Key`. */
const KNOWN_MS = 24 * 3600 * 1000

const bookSchema = z.object({
  keys: z.array(z.custom<string | KeyConfig>()),
  topUps: z.array(z.object({ digest: z.string(), amount: z.string(), expires: z.number() })).optional(),
})

/** @throws Error for a text that is no book; what its keys are is for `createKeyStore` to check */
export function readBook(text: string | undefined): KeyBook {
  return text === undefined ? { keys: [] } : bookSchema.parse(JSON.parse(text))
}

export function writeBook(book: KeyBook): string {
  return `${JSON.stringify(book, null, 2)}\n`
}

/**
 * Adds a key. What the account's other keys share and the settings leave out it shares with them.
 *
 * @throws InvalidRequestError for settings that are none, or that differ from those of the account
 */
export function addKey(book: KeyBook, { kept }: FreshKey, settings: KeySettings): BookChange {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as KeySettings
  const first = given.id === undefined ? undefined : entriesOf(book, given.id)[0]
  const entry: KeyConfig = { ...(first && pickShared(first)), ...given, ...kept }
  return checked({ book: { ...book, keys: [...book.keys, entry] }, account: accountOf(entry), key: nameOf(entry) })
}

/** @throws InvalidRequestError where there is no key of this name */
export function revokeKey(book: KeyBook, name: string): BookChange {
  const entry = findEntry(book, name)
  const keys = book.keys.filter((other) => nameOf(other) !== name)
  return { book: { ...book, keys }, account: accountOf(entry), key: name }
}

/**
 * Makes a key like another, which then ends.
 *
 * @throws InvalidRequestError where there is no key of this name, or it has expired
 */
export function rotateKey(book: KeyBook, { kept }: FreshKey, name: string, overlap: Overlap): BookChange {
  const old = toConfig(findEntry(book, name))
  const { now, forMs } = overlap
  const end = old.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(old.expires)
  if (end <= now) throw new InvalidRequestError('key', `${name} expired at ${old.expires}; add a new one`)
  const { key: _, sha256: __, loopback: ___, ...settings } = old
  const entry: KeyConfig = { ...settings, id: accountOf(old), ...kept }
  const expires = new Date(Math.min(end, now + forMs)).toISOString()
  const keys = book.keys.map((other) => (nameOf(other) === name ? { ...old, id: accountOf(old), expires } : other))
  const detail = `in place of ${name}, which ends at ${expires}`
  return checked({ book: { ...book, keys: [...keys, entry] }, account: accountOf(old), key: nameOf(entry), detail })
}

/**
 * Raises what was ever paid in for an account, on all of its keys; once for each id, however often it is asked for in a day.
 *
 * @param amount EUR as a decimal string.
 * @returns the book itself where it was raised before
 * @throws InvalidRequestError for an account without keys, without limits, for what is no amount, or too large a sum
 * @throws Refusal (409) where the id was another amount's
 */
export function topUp(book: KeyBook, account: string, amount: string, { id, now }: TopUpId): BookChange {
  const [first] = entriesOf(book, account)
  if (first === undefined) throw new InvalidRequestError('account', 'there is no key of this account here')
  if (first.prepaid === undefined && first.freeTokens === undefined) {
    throw new InvalidRequestError('account', 'has no limit that money would raise: its keys have no prepaid')
  }
  const added = parseAmount(amount, 'amount')
  const before = first.prepaid ?? '0'
  const own: MadeTopUp = {
    digest: digest(`${account}\n${id}`),
    amount: formatAmount(added),
    expires: now + KNOWN_MS,
  }
  const detail = `${own.amount} EUR`
  const known = (book.topUps ?? []).filter(({ expires }) => expires > now)
  const made = known.find((other) => other.digest === own.digest)
  if (made && made.amount !== own.amount) throw conflict()
  if (made) return { book, account, detail, prepaid: before }
  const sum = parseAmount(before, 'prepaid') + added
  if (sum >= AMOUNTS_END) {
    const end = formatAmount(AMOUNTS_END)
    throw new InvalidRequestError('amount', `must leave prepaid, which is all that was ever paid in, below ${end} EUR`)
  }
  const prepaid = formatAmount(sum)
  const keys = book.keys.map((other) => (accountOf(other) === account ? { ...toConfig(other), prepaid } : other))
  return checked({ book: { keys, topUps: [...known, own] }, account, detail, prepaid, digest: own.digest })
}

/** Oldest first. */
export function listKeys({ keys }: KeyBook): ListedKey[] {
  return keys.map((entry) => {
    const { key: _, sha256: __, id: ___, loopback: ____, scopes, ...settings } = toConfig(entry)
    return { name: nameOf(entry), account: accountOf(entry), scopes: [...(scopes ?? DEFAULT_SCOPES)], ...settings }
  })
}

/** What would not be taken by a service is not written. */
function checked(change: BookChange): BookChange {
  createKeyStore(change.book.keys)
  return change
}

function findEntry({ keys }: KeyBook, name: string): string | KeyConfig {
  const entry = keys.find((other) => nameOf(other) === name)
  if (entry === undefined) throw new InvalidRequestError('key', 'there is no key of this name here; list shows them')
  return entry
}

function entriesOf({ keys }: KeyBook, account: string): KeyConfig[] {
  return keys.filter((entry) => accountOf(entry) === account).map(toConfig)
}

function toConfig(entry: string | KeyConfig): KeyConfig {
  return typeof entry === 'string' ? { key: entry } : entry
}

function pickShared(entry: KeyConfig): Partial<KeyConfig> {
  return Object.fromEntries(OF_ACCOUNT.flatMap((name) => (entry[name] === undefined ? [] : [[name, entry[name]]])))
}

function nameOf(entry: string | KeyConfig): string {
  const { key, sha256 } = toConfig(entry)
  return nameOfDigest(key === undefined ? Buffer.from(sha256 ?? '', 'hex') : hash(key))
}

function accountOf(entry: string | KeyConfig): string {
  return toConfig(entry).id ?? nameOf(entry)
}
