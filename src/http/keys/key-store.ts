import type { Payer } from '../usage/ledger.ts'
import type { Scope } from './scopes.ts'

/** Whose request it is and what they may do. `id` names the account, and is no secret. */
export interface ApiKey extends Payer {
  /** What it may be used for; default `decide` and `images`. */
  readonly scopes?: readonly Scope[]
  /** Names of models that its requests may give; default all. A request without a name counts as that of the default. */
  readonly models?: readonly string[]
  /** It is refused with 401 from then on, by the clock of this machine. In the form of ISO 8601 with a time zone. */
  readonly expires?: string
  /** More are refused with 429. Default: the server's `limits.requestsPerMinute`. */
  readonly requestsPerMinute?: number
  /** Input tokens of decisions in a minute; more are refused with 429. Default: the server's `limits.tokensPerMinute`. */
  readonly tokensPerMinute?: number
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
  /**
   * Whose keys these are, for what operators are shown, and what they may use now, for jobs and batches that began before a top-up; without
   * it, accounts are known by what they used, and jobs and batches have what `find` said.
   */
  accounts?(): readonly Payer[]
  /** Whether the keys are older than their source, which cannot be read; `/readyz` says so. */
  readonly isStale?: boolean
}
