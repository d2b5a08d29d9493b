import {
  InvalidRequestError,
  OverloadedError,
  RateLimitError,
  StoreUnavailableError,
  type TesseraError,
} from '../errors/index.ts'
import { createJsonResponse } from './json-response.ts'
import { Refusal } from './refusal.ts'

/** Which clients read a route's errors: those of System One, or also those of OpenAI. */
export type Dialect = 'systemone' | 'openai'

const DEFAULT_RETRY_MS = 1000

/** The response for an error. */
export function createErrorResponse(error: TesseraError | Refusal, dialect: Dialect): Response {
  return createJsonResponse(createErrorBody(error, dialect), { status: error.status, headers: errorHeaders(error) })
}

/**
 * The specification's `{message, error_type}` together with the `detail` that clients of compatible services read, and
 * on OpenAI's routes the `error` object of those.
 */
export function createErrorBody(error: TesseraError | Refusal, dialect: Dialect) {
  const message = publicMessage(error)
  const { errorType } = error
  return {
    message,
    error_type: errorType,
    detail: InvalidRequestError.isInstance(error)
      ? [{ loc: ['body', ...error.loc], msg: error.reason, type: 'value_error' }]
      : { error_type: errorType, message },
    ...(dialect === 'openai' && { error: toOpenAiError(error, message) }),
  }
}

function toOpenAiError(error: TesseraError | Refusal, message: string) {
  const invalid = error.errorType === 'invalid_request'
  return {
    message,
    type: invalid ? 'invalid_request_error' : error.errorType,
    param: InvalidRequestError.isInstance(error) && error.loc.length > 0 ? toParam(error.loc) : null,
    code: error.errorType,
  }
}

/** `questions[1].choices`. */
function toParam(loc: readonly string[]): string {
  const [first = '', ...rest] = loc
  return rest.reduce((path, name) => path + (/^\d+$/.test(name) ? `[${name}]` : `.${name}`), first)
}

/** Errors of the server's own making name files and machines, which are not a client's business. */
function publicMessage(error: TesseraError | Refusal): string {
  if (error instanceof Refusal || (error.status < 500 && error.code !== 'model_not_found')) return error.message
  if (error.code === 'model_not_found') {
    return 'model: no model of this name is installed here; GET /v1/models lists those that are'
  }
  if (error.code === 'overloaded' || error.code === 'store_unavailable') return error.message
  return 'the server failed to answer; its log says why, under the id of this response'
}

function errorHeaders(error: TesseraError | Refusal): Record<string, string> {
  // A client that was too slow may be faster the next time.
  if (error instanceof Refusal) return { ...error.headers, ...(error.status !== 408 && { 'x-should-retry': 'false' }) }
  if (
    error.retryable &&
    (RateLimitError.isInstance(error) || OverloadedError.isInstance(error) || StoreUnavailableError.isInstance(error))
  ) {
    const wait = Math.max(0, Math.ceil(error.retryAfterMs ?? DEFAULT_RETRY_MS))
    return { 'retry-after-ms': String(wait), 'retry-after': String(Math.max(1, Math.ceil(wait / 1000))) }
  }
  return {
    ...(error.status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(!error.retryable && { 'x-should-retry': 'false' }),
  }
}
