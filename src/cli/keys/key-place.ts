import { hostname, userInfo } from 'node:os'
import { type AuditAction, AuditTrail } from '../../http/admin/audit-trail.ts'
import { AuditedKeys } from '../../http/admin/audited-keys.ts'
import type { BookChange, KeyBook } from '../../http/keys/key-book.ts'
import { StoredKeys } from '../../http/keys/stored-keys.ts'
import { changeKeyFile, readKeyBook } from '../../http/serve/change-key-file.ts'
import { defaultKeyFile } from '../../http/serve/choose-keys.ts'
import type { UsageStore } from '../../http/usage/usage-store.ts'
import { requireStore, withStore } from '../with-store.ts'

/** Where keys are: a file, or a store. */
export const placeArguments = {
  'keys-file': {
    type: 'string',
    description: 'JSON file {"keys": [...]}; default that of tessera serve, unless there is --store',
    valueHint: 'file',
  },
  store: {
    type: 'string',
    description: 'SQLite file (from Node 22.5 on) or Redis server that the service uses',
    valueHint: 'file|url',
  },
  'accept-loss': {
    type: 'boolean',
    default: false,
    description: 'take a Redis server that is set up to forget balances',
  },
  json: { type: 'boolean', description: 'print JSON' },
} as const

export interface PlaceArguments {
  readonly 'keys-file'?: string | undefined
  readonly store?: string | undefined
  readonly 'accept-loss'?: boolean | undefined
}

export interface KeyPlace {
  /** In words, for whoever reads the result. */
  readonly name: string
  /** With usage and balances. */
  readonly store: UsageStore | undefined
  read(): Promise<KeyBook>
  change(action: AuditAction, plan: (book: KeyBook) => BookChange): Promise<BookChange>
}

/**
 * A place that is there already, for what is not about to make it.
 *
 * @throws InvalidRequestError for a place that cannot be used
 */
export async function withPlaceThere(args: PlaceArguments, work: (place: KeyPlace) => Promise<void>): Promise<void> {
  if (args.store !== undefined) await requireStore(args.store)
  await withPlace(args, work)
}

/** @throws InvalidRequestError for a place that cannot be used, or two to change at once */
export async function withPlace(
  { 'keys-file': file, store: storeName, 'accept-loss': acceptLoss = false }: PlaceArguments,
  work: (place: KeyPlace) => Promise<void>,
): Promise<void> {
  const inFile = (store?: UsageStore) => work(placeInFile(file ?? defaultKeyFile(process.env), store))
  if (storeName === undefined) return inFile()
  await withStore(storeName, acceptLoss, (store) => (file === undefined ? work(placeInStore(store)) : inFile(store)))
}

function placeInStore(store: UsageStore): KeyPlace {
  const keys = new AuditedKeys(new StoredKeys(store), new AuditTrail(store))
  const change: KeyPlace['change'] = (action, plan) => keys.change(whoRuns(), action, plan)
  return { name: 'the store', store, read: () => keys.read(), change }
}

function placeInFile(file: string, store: UsageStore | undefined): KeyPlace {
  return {
    name: file,
    store,
    read: () => readKeyBook(file),
    change: (_, plan) => changeKeyFile(file, plan),
  }
}

/** Whoever can write to the store is trusted; this says whom to ask. */
function whoRuns(): string {
  return `${userName()}@${hostname()}`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // In containers the user may have a number alone.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
