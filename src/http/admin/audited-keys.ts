import type { BookChange, KeyBook } from '../keys/key-book.ts'
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
   * where the store went away in between. None is made that is not recorded.
   */
  async change(actor: string, action: AuditAction, plan: (book: KeyBook) => BookChange): Promise<BookChange> {
    const { account, key, detail } = plan(await this.#keys.read())
    await this.#trail.record({ actor, action, account, key, detail })
    return this.#keys.change(plan)
  }
}
