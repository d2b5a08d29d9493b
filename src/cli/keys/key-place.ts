import { InvalidRequestError } from '../../errors/index.ts'
import type { BookChange, KeyBook } from '../../http/keys/key-book.ts'
import { StoredKeys } from '../../http/keys/stored-keys.ts'
import { changeKeyFile, readKeyBook } from '../../http/serve/change-key-file.ts'
import { defaultKeyFile } from '../../http/serve/choose-keys.ts'
import { openStore } from '../../http/serve/open-store.ts'
import type { UsageStore } from '../../http/usage/usage-store.ts'

/** Where keys are: a file, or a store. */
export const placeArguments = {
  'keys-file': {
    type: 'string',
    description: 'JSON file {"keys": [...]}; default that of tessera serve, unless there is --store',
    valueHint: 'file',
  },
  store: { type: 'string', description: 'SQLite file or Redis server that the service uses', valueHint: 'file|url' },
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
  change(plan: (book: KeyBook) => BookChange): Promise<BookChange>
}

/** @throws InvalidRequestError for a place that cannot be used, or two to change at once */
export async function withPlace(
  { 'keys-file': file, store: storeName, 'accept-loss': acceptLoss = false }: PlaceArguments,
  work: (place: KeyPlace) => Promise<void>,
): Promise<void> {
  if (storeName === 'memory') throw new InvalidRequestError('--store', 'must be a file or a Redis server')
  const store = storeName === undefined ? undefined : await openStore(storeName, { acceptLoss })
  try {
    await work(
      store && file === undefined ? placeInStore(store) : placeInFile(file ?? defaultKeyFile(process.env), store),
    )
  } finally {
    await store?.close()
  }
}

function placeInStore(store: UsageStore): KeyPlace {
  const stored = new StoredKeys(store)
  return { name: 'the store', store, read: () => stored.read(), change: (plan) => stored.change(plan) }
}

function placeInFile(file: string, store: UsageStore | undefined): KeyPlace {
  return {
    name: file,
    store,
    read: () => readKeyBook(file),
    change: (plan) => changeKeyFile(file, plan),
  }
}
