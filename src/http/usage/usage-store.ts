import type { CountRequest } from '../limits/count-requests.ts'

/** A document as it was when it was read. */
export interface StoredDocument {
  /** Undefined where there is none. */
  readonly document: string | undefined
  /** The clock of the store, in milliseconds since 1970: all processes that share the store share this one. */
  readonly now: number
}

/** What a document becomes; undefined removes it. */
export type Change = (document: string | undefined, now: number) => string | undefined

/** What an update may be told. */
export interface UpdateOptions {
  /** Fires when nobody waits any more: what was not begun by then must not be done. */
  readonly signal?: AbortSignal
  /** Milliseconds after which a document that is written is forgotten; without it, it stays for good. */
  readonly keepMs?: number
}

/**
 * Where the service keeps what must outlive a request: small JSON documents by name. Names are `account:` and the name
 * of an account, `request:` and a digest, `keys`, or `audit:` and a month. All arithmetic is in `Ledger`; a store only has to replace documents
 * atomically, which a map, a table and a Redis server can all do. Every call gets 2 seconds, after which the service
 * takes the store for unavailable.
 */
export interface UsageStore {
  /** The document of that name, and the clock of the store. */
  read(name: string, signal?: AbortSignal): Promise<StoredDocument>
  /**
   * Replaces a document by what `change` makes of it. No other update of the same document, in this process or another,
   * comes in between; `change` may run again when one did. Where `change` throws, nothing is written and its error
   * comes out. Where it returns what it was given, nothing needs to be written.
   */
  update(name: string, change: Change, options?: UpdateOptions): Promise<void>
  /** Names of all documents that begin so, in any order; asked only by operators. */
  names(prefix: string, signal?: AbortSignal): Promise<string[]>
  /** Counts requests for limits that all users of the store share. Without it each process counts its own. */
  readonly countRequest?: CountRequest
  /** Frees what the store holds open. Safe to call twice. */
  close(): Promise<void>
}
