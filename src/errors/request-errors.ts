import { type ErrorSettings, TesseraError } from './tessera-error.ts'

/** What an `InvalidRequestError` may be made with. */
export interface InvalidRequestSettings extends ErrorSettings {
  /** The path as a list, exact where a name itself holds a dot. Default: `path` split at its dots. */
  readonly loc?: readonly string[]
}

/** The request does not fit the format or a limit. The message is `<path>: <reason>`. */
export class InvalidRequestError extends TesseraError {
  static readonly code = 'invalid_request'
  declare readonly code: 'invalid_request'
  override readonly path: string
  /** What was expected and what came, without the path. */
  readonly reason: string
  /** The path as a list of field names; empty when the body as a whole is at fault. */
  readonly loc: readonly string[]

  constructor(path: string, reason: string, settings: InvalidRequestSettings = {}) {
    super('invalid_request', `${path}: ${reason}`, settings)
    this.path = path
    this.reason = reason
    this.loc = settings.loc ?? path.split('.')
  }

  override details() {
    return { path: this.path, reason: this.reason, loc: this.loc }
  }
}

const MISSING_KEY = 'the API key is missing or unknown; send it as "Authorization: Bearer <key>"'

/** The API key of a request is missing, unknown or expired; thrown by the service only. */
export class AuthenticationError extends TesseraError {
  static readonly code = 'authentication_error'
  declare readonly code: 'authentication_error'

  constructor(message = MISSING_KEY, settings?: ErrorSettings) {
    super('authentication_error', message, settings)
  }
}

/** The API key is known and may not do this; thrown by the service only. */
export class PermissionError extends TesseraError {
  static readonly code = 'permission_error'
  declare readonly code: 'permission_error'

  constructor(message = 'this API key may not do this', settings?: ErrorSettings) {
    super('permission_error', message, settings)
  }
}

/** What a key has free or prepaid does not cover a request; thrown by the service only. */
export class InsufficientQuotaError extends TesseraError {
  static readonly code = 'insufficient_quota'
  declare readonly code: 'insufficient_quota'

  constructor(message = 'the token allowance of this API key is used up', settings?: ErrorSettings) {
    super('insufficient_quota', message, settings)
  }
}

/** What errors that ask for a later try are made with. */
export interface BackoffSettings extends ErrorSettings {
  /** How long to wait before the next try, in milliseconds. */
  readonly retryAfterMs?: number
}

/** Too many requests of one client. */
export class RateLimitError extends TesseraError {
  static readonly code = 'rate_limit_error'
  declare readonly code: 'rate_limit_error'
  /** Milliseconds until a try may succeed; absent where that is not known. */
  declare readonly retryAfterMs?: number

  constructor(message = 'too many requests for this API key; retry with backoff', settings: BackoffSettings = {}) {
    super('rate_limit_error', message, settings)
    if (settings.retryAfterMs !== undefined) this.retryAfterMs = settings.retryAfterMs
  }

  override details() {
    return { retryAfterMs: this.retryAfterMs }
  }
}

/** What a request needs is taken for now, such as a place in the queue or memory; the message says what. */
export class OverloadedError extends TesseraError {
  static readonly code = 'overloaded'
  declare readonly code: 'overloaded'
  /** Milliseconds until a try may succeed; absent where that is not known. */
  declare readonly retryAfterMs?: number

  constructor(
    message = 'the queue of the engine is full (`maxQueue`); retry with backoff',
    settings: BackoffSettings = {},
  ) {
    super('overloaded', message, settings)
    if (settings.retryAfterMs !== undefined) this.retryAfterMs = settings.retryAfterMs
  }

  override details() {
    return { retryAfterMs: this.retryAfterMs }
  }
}

/** The store of usage and balances is away; thrown by the service only, before it begins to work. */
export class StoreUnavailableError extends TesseraError {
  static readonly code = 'store_unavailable'
  declare readonly code: 'store_unavailable'
  /** Milliseconds until a try may succeed; absent where that is not known. */
  declare readonly retryAfterMs?: number

  constructor(message = 'balances cannot be read at the moment; retry with backoff', settings: BackoffSettings = {}) {
    super('store_unavailable', message, settings)
    if (settings.retryAfterMs !== undefined) this.retryAfterMs = settings.retryAfterMs
  }

  override details() {
    return { retryAfterMs: this.retryAfterMs }
  }
}

/**
 * The caller's AbortSignal fired. Its `name` is `AbortError`, as of what `fetch` and other APIs of the platform throw. Pass
 * `signal.reason` as the cause.
 */
export class AbortedError extends TesseraError {
  static readonly code = 'aborted'
  declare readonly code: 'aborted'
  /** As that of what `fetch` throws; the name of the class is `AbortedError`. */
  declare readonly name: 'AbortError'

  constructor(message = 'the call was aborted by its signal', settings?: ErrorSettings) {
    super('aborted', message, settings)
    Object.defineProperty(this, 'name', { value: 'AbortError', configurable: true, writable: true })
  }
}
