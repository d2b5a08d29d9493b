import type { CountRequest } from '../limits/count-requests.ts'

/**
 * Where accounts are kept: one small JSON document for each key. All arithmetic is in `Ledger`; a store only has to
 * replace documents atomically, which a map, a table and a Redis server can all do.
 */
export interface UsageStore {
  /** The document of an account; undefined where there is none yet. */
  read(account: string): Promise<string | undefined>
  /**
   * Replaces a document by what `change` makes of it. No other update of the same account, in this process or another,
   * comes in between; `change` may run again when one did. Where `change` throws, nothing is written and its error
   * comes out.
   */
  update(account: string, change: (document: string | undefined) => string): Promise<void>
  /** Counts requests for limits that all users of the store share. Without it each process counts its own. */
  readonly countRequest?: CountRequest
  /** Frees what the store holds open. Safe to call twice. */
  close(): Promise<void>
}
