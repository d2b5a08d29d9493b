import type { ErrorCode } from './error-table.ts'
import {
  AbortedError,
  AuthenticationError,
  InsufficientQuotaError,
  InvalidRequestError,
  OverloadedError,
  PermissionError,
  RateLimitError,
  StoreUnavailableError,
} from './request-errors.ts'
import {
  BackendUnavailableError,
  DownloadFailedError,
  EngineDisposedError,
  InternalError,
  ModelFormatError,
  ModelNotFoundError,
  WorkerCrashedError,
} from './runtime-errors.ts'
import { type ErrorJson, type ErrorSettings, TesseraError } from './tessera-error.ts'

type Details = Readonly<Record<string, unknown>>

const REBUILD: Record<ErrorCode, (message: string, details: Details, settings: ErrorSettings) => TesseraError> = {
  invalid_request: (_, d, settings) =>
    new InvalidRequestError(text(d.path), text(d.reason), { ...settings, loc: texts(d.loc) }),
  authentication_error: (message, _, settings) => new AuthenticationError(message, settings),
  permission_error: (message, _, settings) => new PermissionError(message, settings),
  insufficient_quota: (message, _, settings) => new InsufficientQuotaError(message, settings),
  rate_limit_error: (message, d, settings) => new RateLimitError(message, { ...settings, ...backoff(d) }),
  overloaded: (message, d, settings) => new OverloadedError(message, { ...settings, ...backoff(d) }),
  store_unavailable: (message, d, settings) => new StoreUnavailableError(message, { ...settings, ...backoff(d) }),
  aborted: (message, _, settings) => new AbortedError(message, settings),
  backend_unavailable: (_, d, settings) =>
    new BackendUnavailableError(text(d.backend), text(d.reason), text(d.remedy), settings),
  model_not_found: (_, d, settings) => new ModelNotFoundError(text(d.model), texts(d.tried), text(d.command), settings),
  model_format: (_, d, settings) => new ModelFormatError(text(d.file), text(d.expected), text(d.got), settings),
  download_failed: (_, d, settings) => new DownloadFailedError(text(d.model), text(d.reason), settings),
  engine_disposed: (message, _, settings) => new EngineDisposedError(message, settings),
  worker_crashed: (_, d, settings) => new WorkerCrashedError(text(d.reason), settings),
  internal_error: (message, _, settings) => new InternalError(message, settings),
}

/**
 * Turns the result of `error.toJSON()` back into an error of the same class, with the stack of the place it was thrown.
 * Anything that is not such an object gives an `InternalError`.
 */
export function errorFromJSON(json: unknown): TesseraError {
  if (typeof json !== 'object' || json === null) return new InternalError('an error of unknown kind crossed a thread')
  const { code, message, details, stack, cause } = json as Partial<ErrorJson>
  const settings = cause === undefined ? {} : { cause: causeFromJSON(cause) }
  const rebuild = code !== undefined && Object.hasOwn(REBUILD, code) ? REBUILD[code] : REBUILD.internal_error
  const error = rebuild(text(message), details ?? {}, settings)
  if (stack !== undefined) error.stack = stack
  return error
}

/** Wraps anything that was thrown: errors of this library stay what they are, all else becomes an `InternalError`. */
export function toTesseraError(thrown: unknown): TesseraError {
  return TesseraError.isInstance(thrown) ? thrown : new InternalError(undefined, { cause: thrown })
}

function causeFromJSON(json: ErrorJson): Error {
  if (json.code !== undefined) return errorFromJSON(json)
  const error = new Error(text(json.message), json.cause === undefined ? {} : { cause: causeFromJSON(json.cause) })
  error.name = text(json.name)
  if (json.stack !== undefined) error.stack = json.stack
  return error
}

function text(value: unknown): string {
  return String(value)
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text) : []
}

function backoff({ retryAfterMs }: Details): { retryAfterMs?: number } {
  return typeof retryAfterMs === 'number' ? { retryAfterMs } : {}
}
