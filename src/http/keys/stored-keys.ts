import { StoreUnavailableError } from '../../errors/index.ts'
import { refusalWord } from '../../redis/refusal-word.ts'
import type { Payer } from '../usage/ledger.ts'
import type { UsageStore } from '../usage/usage-store.ts'
import { type BookChange, type KeyBook, readBook, writeBook } from './key-book.ts'
import type { ApiKey, KeyStore } from './key-store.ts'
import { createKeyStore } from './static-keys.ts'

const NAME = 'keys'

/** How soon what another process changed counts here. */
const FRESH_MS = 1000

/** The store was told of a change and did not say in time whether it made it: asked for again, it could be made twice. */
export class UnsureChangeError extends StoreUnavailableError {
  override readonly retryable = false

  constructor(cause: StoreUnavailableError) {
    const look = 'GET /v1/admin/accounts and /v1/admin/keys, or npx tessera-onnx keys list'
    super(`the store did not answer in time, and the change may have been made; before another try look at ${look}`, {
      cause,
    })
  }
}

/** Keys in the store, which all its processes share: `tessera keys` and the admin routes change them. */
export class StoredKeys implements KeyStore {
  readonly #store: UsageStore
  #text: string | undefined
  #keys: KeyStore | undefined
  /** `performance.now()` when the store was asked last. */
  #asked = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined
  /** Changes made here: what was asked for before one may lack it. */
  #changes = 0

  constructor(store: UsageStore) {
    this.#store = store
  }

  /** @throws StoreUnavailableError where nobody can say whether the key still holds */
  async find(key: string): Promise<ApiKey | undefined> {
    await this.#refresh()
    return this.#keys?.find(key)
  }

  accounts(): readonly Payer[] {
    return this.#keys?.accounts?.() ?? []
  }

  /**
   * What an account may use now; undefined where it has no key here.
   *
   * @throws StoreUnavailableError
   */
  async payer(account: string): Promise<Payer | undefined> {
    await this.#refresh()
    return this.accounts().find(({ id }) => id === account)
  }

  async read(): Promise<KeyBook> {
    return readBook((await this.#store.read(NAME)).document)
  }

  /**
   * @param plan Makes of the keys as they are what they become; it may be asked again when another change came first.
   * @throws UnsureChangeError where nobody knows whether it was made, StoreUnavailableError where it was not
   */
  async change(plan: (book: KeyBook) => BookChange): Promise<BookChange> {
    let change: BookChange | undefined
    await this.#store
      .update(NAME, (document) => {
        change = plan(readBook(document))
        return writeBook(change.book)
      })
      .catch((error: unknown) => {
        // What was not begun when the store was given up is not done any more.
        if (change === undefined || !StoreUnavailableError.isInstance(error)) throw error
        throw hasWrittenNothing(error.cause) ? error : new UnsureChangeError(error)
      })
    // What was changed here counts here at once.
    this.#changes++
    this.#asked = Number.NEGATIVE_INFINITY
    return change!
  }

  async #refresh(): Promise<void> {
    // What was asked for from now on is new enough, however long the store takes to answer.
    const came = performance.now()
    while (came - this.#asked >= FRESH_MS) {
      this.#asking ??= this.#ask().finally(() => (this.#asking = undefined))
      await this.#asking
    }
  }

  async #ask(): Promise<void> {
    const asked = performance.now()
    const changes = this.#changes
    const { document } = await this.#store.read(NAME)
    if (document !== this.#text || this.#keys === undefined) {
      const { keys } = readBook(document)
      this.#keys = keys.length === 0 ? undefined : createKeyStore(keys)
      this.#text = document
    }
    if (changes === this.#changes) this.#asked = asked
  }
}

/** The keys of a server: those it was given, then those of its store. */
export function withStored(given: KeyStore, stored: StoredKeys): KeyStore {
  return {
    find: async (key) => (await given.find(key)) ?? stored.find(key),
    accounts: () => [...(given.accounts?.() ?? []), ...stored.accounts()],
    get isStale() {
      return given.isStale ?? false
    },
  }
}

/**
 * Whether a store has written nothing for certain, by what its update failed with: SQLite rolls back whatever it fails
 * with, and a Redis server says that it refuses. After anything else, as a deadline or a broken connection, it may have.
 */
function hasWrittenNothing(failure: unknown): boolean {
  return failure instanceof Error && ('errcode' in failure || refusalWord(failure) !== undefined)
}
