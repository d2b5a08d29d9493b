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
  InsufficientMemoryError,
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
  insufficient_memory: (_, d, settings) =>
    new InsufficientMemoryError(text(d.reason), text(d.remedy), { ...settings, ...sizes(d) }),
  download_failed: (_, d, settings) => new DownloadFailedError(text(d.model), text(d.reason), settings),
  engine_disposed: (message, _, settings) => new EngineDisposedError(message, settings),
  worker_crashed: (_, d, settings) => new WorkerCrashedError(text(d.reason), settings),
  internal_error: (message, _, settings) => new InternalError(message, settings),
}

/**
 * Turns the result of `error.toJSON()` back into an error of the same class, with the stack of the place it was thrown.
 * Anything that is not such an object gives an `InternalError`.
 *
 * @example
 * ```ts
 * const error = new InvalidRequestError('prompt', 'is required')
 * const same = errorFromJSON(JSON.parse(JSON.stringify(error)))
 * ```
 */
export function errorFromJSON(json: unknown): TesseraError {
  if (typeof json !== 'object' || json === null) return new InternalError('an error of unknown kind crossed a thread')
  const { code, message, details, stack, cause } = json as Partial<ErrorJson>
  const settings = cause === undefined ? {} : { cause: causeFromJSON(cause) }
  // Without its details most classes have no sentence; the one that is there says more.
  const isWhole = typeof details === 'object' && details !== null
  const rebuild = isWhole && code !== undefined && Object.hasOwn(REBUILD, code) ? REBUILD[code] : REBUILD.internal_error
  const error = rebuild(text(message), details ?? {}, settings)
  if (stack !== undefined) error.stack = stack
  return error
}

/**
 * Wraps anything that was thrown: errors of this library stay what they are, failed allocations become an
 * `InsufficientMemoryError`, all else an `InternalError`.
 *
 * @example
 * ```ts
 * try {
 *   await decide(request)
 * } catch (thrown) {
 *   const { code, status } = toTesseraError(thrown)
 *   console.error(code, status)
 * }
 * ```
 */
export function toTesseraError(thrown: unknown): TesseraError {
  if (TesseraError.isInstance(thrown)) return thrown
  if (isFailedAllocation(thrown)) {
    return new InsufficientMemoryError(
      'there was not enough memory: an allocation failed',
      'Close other models or programs, raise the limit of the container, or use a checkpoint in fewer bits: npx tessera-onnx quantize',
      { cause: thrown },
    )
  }
  return new InternalError(undefined, { cause: thrown })
}

/** The words of C++, onnxruntime (on processors, and on CUDA) and V8 where memory cannot be had. */
const FAILED_ALLOCATION =
  /bad_alloc|bad allocation|failed to allocate memory|allocation failed|available memory of \d+ is smaller|out of memory/i

function isFailedAllocation(thrown: unknown): boolean {
  return thrown instanceof Error && FAILED_ALLOCATION.test(thrown.message)
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

function sizes({ needed, available }: Details): { needed?: number; available?: number } {
  return {
    ...(typeof needed === 'number' && { needed }),
    ...(typeof available === 'number' && { available }),
  }
}

function backoff({ retryAfterMs }: Details): { retryAfterMs?: number } {
  return typeof retryAfterMs === 'number' ? { retryAfterMs } : {}
}
