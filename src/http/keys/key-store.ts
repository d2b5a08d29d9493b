import type { Payer } from '../usage/ledger.ts'

/** Whose request it is and what they may do. `id` names the account, and is no secret. */
export interface ApiKey extends Payer {
  /** More are refused with 429. Default: the server's `limits.requestsPerMinute`. */
  readonly requestsPerMinute?: number
  /** Requests at the same time; more are refused with 429. Default: the server's `limits.concurrency`. */
  readonly concurrency?: number
}

/** Where keys are looked up. */
export interface KeyStore {
  /**
   * The owner of a key, or undefined for an unknown one. The time it takes must not tell how much of the key is right:
   * look it up by its SHA-256, or compare digests with `timingSafeEqual`.
   */
  find(key: string): ApiKey | undefined | Promise<ApiKey | undefined>
}
