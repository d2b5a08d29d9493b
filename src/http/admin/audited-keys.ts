import { type BookChange, type KeyBook, writeBook } from '../keys/key-book.ts'
import type { StoredKeys } from '../keys/stored-keys.ts'
import type { AuditAction, AuditTrail } from './audit-trail.ts'

/** Keys of the store, whose changes are recorded. */
export class AuditedKeys {
  readonly #keys: StoredKeys
  readonly #trail: AuditTrail

  constructor(keys: StoredKeys, trail: AuditTrail) {
    this.#keys = keys
    this.#trail = trail
  }

  read(): Promise<KeyBook> {
    return this.#keys.read()
  }

  /**
   * Records a change and makes it. One that is refused is not recorded; one that is recorded may have failed all the same,
   * where the store went away in between. None is made that is not recorded, and what changes nothing is neither.
   */
  async change(actor: string, action: AuditAction, plan: (book: KeyBook) => BookChange): Promise<BookChange> {
    const before = await this.#keys.read()
    const planned = plan(before)
    if (planned.book === before) return planned
    const { account, key, detail, digest } = planned
    await this.#trail.record({ actor, action, account, key, detail }, digest)
    // To plan is to check all keys, which takes a while where they are many.
    const text = writeBook(before)
    return this.#keys.change((book) => (writeBook(book) === text ? planned : plan(book)))
  }
}
