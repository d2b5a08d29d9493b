/** The meaning of every error code to a caller, an HTTP client and a retry loop. */
export interface ErrorRow {
  /** Class that carries the code, and the value of `error.name`; that of an abort is `AbortError`, as on the platform. */
  readonly name: string
  /** HTTP status of the response that carries it. */
  readonly status: number
  /** Value of `error_type` in the wire body. */
  readonly errorType: string
  /** True when the very same call may succeed later without anybody changing anything. */
  readonly retryable: boolean
  /** What has happened, as one sentence for people. */
  readonly meaning: string
}

/**
 * The one list of error codes. Status codes 408, 429 and 5xx make client SDKs retry, so a request that can never
 * succeed never has one of them.
 */
export const ERROR_TABLE = {
  invalid_request: {
    name: 'InvalidRequestError',
    status: 422,
    errorType: 'invalid_request',
    retryable: false,
    meaning: 'The request does not fit the format or a limit. `path` names the field.',
  },
  authentication_error: {
    name: 'AuthenticationError',
    status: 401,
    errorType: 'authentication_error',
    retryable: false,
    meaning: 'The API key is missing, unknown or expired.',
  },
  permission_error: {
    name: 'PermissionError',
    status: 403,
    errorType: 'permission_error',
    retryable: false,
    meaning: 'The API key may not do this, or not with this model. The message names the scope that it lacks.',
  },
  insufficient_quota: {
    name: 'InsufficientQuotaError',
    status: 402,
    errorType: 'insufficient_quota',
    retryable: false,
    meaning: 'What the key has free or prepaid does not cover the request.',
  },
  rate_limit_error: {
    name: 'RateLimitError',
    status: 429,
    errorType: 'rate_limit_error',
    retryable: true,
    meaning: 'Too many requests for the key, or too many at once. Retry with backoff.',
  },
  overloaded: {
    name: 'OverloadedError',
    status: 529,
    errorType: 'overloaded',
    retryable: true,
    meaning:
      'The queue of the engine is full, memory is short, or the server is shutting down: the message says which. Retry with backoff.',
  },
  aborted: {
    name: 'AbortedError',
    status: 499,
    errorType: 'aborted',
    retryable: false,
    meaning: "The caller's AbortSignal fired, or the client hung up.",
  },
  store_unavailable: {
    name: 'StoreUnavailableError',
    status: 503,
    errorType: 'store_unavailable',
    retryable: true,
    meaning:
      'The store of usage and balances did not answer within 2 seconds; the work was not begun. Retry with backoff.',
  },
  backend_unavailable: {
    name: 'BackendUnavailableError',
    status: 500,
    errorType: 'backend_unavailable',
    retryable: false,
    meaning: 'The execution backend that was asked for cannot run here. The message says why and what helps.',
  },
  model_not_found: {
    name: 'ModelNotFoundError',
    status: 404,
    errorType: 'model_not_found',
    retryable: false,
    meaning: 'No model of that name is installed. The message lists the places tried and the command that fetches it.',
  },
  model_format: {
    name: 'ModelFormatError',
    status: 500,
    errorType: 'model_format',
    retryable: false,
    meaning: 'A file of the model bundle is missing, damaged or of a kind that is not supported.',
  },
  insufficient_memory: {
    name: 'InsufficientMemoryError',
    status: 507,
    errorType: 'insufficient_memory',
    retryable: false,
    meaning:
      'The model needs more memory than is free here, or an allocation failed. The message says how much, and what makes it fit.',
  },
  download_failed: {
    name: 'DownloadFailedError',
    status: 502,
    errorType: 'download_failed',
    retryable: true,
    meaning:
      'A model could not be downloaded. `tessera pull` tries broken connections, 429 and 503 again, then keeps what has arrived and goes on there next time; browsers keep whole files.',
  },
  engine_disposed: {
    name: 'EngineDisposedError',
    status: 503,
    errorType: 'engine_disposed',
    retryable: false,
    meaning: 'The engine was disposed before the call, or while it waited.',
  },
  worker_crashed: {
    name: 'WorkerCrashedError',
    status: 500,
    errorType: 'worker_crashed',
    retryable: true,
    meaning: 'The worker ended during the call. The next call starts a new one.',
  },
  internal_error: {
    name: 'InternalError',
    status: 500,
    errorType: 'internal_error',
    retryable: false,
    meaning:
      'A fault of the library itself, or of how it was installed (sharp of another platform, a bundle that took the library in), where the message says what helps. `cause` holds what was thrown.',
  },
} as const satisfies Record<string, ErrorRow>

/** What every error of the library has as `code`. */
export type ErrorCode = keyof typeof ERROR_TABLE
