import { APICallError } from '@ai-sdk/provider'
import { InvalidRequestError } from '../errors/index.ts'
import { type ErrorBody, errorBodySchema } from '../schemas/index.ts'
import { WARNINGS_HEADER } from '../schemas/warning.ts'
import { type CallHeaders, joinHeaders } from './call-headers.ts'

export interface ServiceSettings {
  /** Address of the service, with `/v1` or without. */
  readonly baseURL: string
  readonly apiKey?: string | undefined
  readonly headers?: CallHeaders | undefined
}

interface Sending {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: object
  /** What the request itself needs. */
  readonly headers?: Readonly<Record<string, string>>
  /** What the call was given beside it. */
  readonly given?: CallHeaders | undefined
  readonly signal?: AbortSignal | undefined
}

/** A service of this package as it is reached over HTTP. */
export interface Service {
  /**
   * Asks a path below the address, such as `v1/systemone`, and resolves with the JSON of the answer. What the header of warnings
   * says is its `warnings`, as in an answer of this process.
   *
   * @throws InvalidRequestError for headers that are none; APICallError for a status that is no success, or where there is no
   *   answer; the signal's reason when it fires
   */
  send(path: string, sending?: Sending): Promise<unknown>
}

/** @throws InvalidRequestError for an address that is none, and headers that are none */
export function openService({ baseURL, apiKey, headers }: ServiceSettings): Service {
  const base = readAddress(baseURL)
  const always = Object.fromEntries(joinHeaders(headers))
  return {
    async send(path, sending = {}) {
      const url = new URL(path, base).href
      const { signal } = sending
      try {
        const response = await fetch(url, toInit(sending, always, apiKey))
        const answer: unknown = await response.json().catch((cause: unknown) => {
          if (response.ok) throw cause
        })
        if (response.ok) return withWarnings(answer, response.headers.get(WARNINGS_HEADER))
        throw toCallError(url, response, answer)
      } catch (cause) {
        if (signal?.aborted || APICallError.isInstance(cause) || InvalidRequestError.isInstance(cause)) throw cause
        const message = 'the service gave no answer; see whether it runs at baseURL'
        throw new APICallError({ message, url, requestBodyValues: {}, cause, isRetryable: true })
      }
    },
  }
}

function toInit({ method = 'GET', body, headers = {}, given, signal }: Sending, always: CallHeaders, apiKey?: string) {
  const all = joinHeaders(always, given)
  // Of a caller it would make a job of a call that waits for an answer.
  all.delete('prefer')
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  if (apiKey !== undefined) all.set('authorization', `Bearer ${apiKey}`)
  if (body) all.set('content-type', 'application/json')
  return { method, headers: all, ...(body && { body: JSON.stringify(body) }), ...(signal && { signal }) }
}

function withWarnings(answer: unknown, told: string | null): unknown {
  return told === null ? answer : { ...(answer as object), warnings: JSON.parse(told) as unknown }
}

/**
 * An error of the AI SDK, which tries those again that may pass. It holds nothing of the request, whose content is in no error
 * of this package.
 */
export function toJobError(url: string, { status, message, error_type: type }: ErrorBody & { status: number }) {
  const responseBody = JSON.stringify({ message, error_type: type })
  const isRetryable = status === 429 || status === 503 || status === 529
  return new APICallError({ message, url, requestBodyValues: {}, statusCode: status, responseBody, isRetryable })
}

/** The same error, after which the AI SDK does not begin the call again, as its work would be done and charged twice. */
export function asLast({ message, url, statusCode, responseHeaders, responseBody, cause }: APICallError): APICallError {
  const answer = {
    ...(statusCode !== undefined && { statusCode }),
    ...(responseHeaders && { responseHeaders }),
    ...(responseBody !== undefined && { responseBody }),
  }
  return new APICallError({ message, url, requestBodyValues: {}, ...answer, cause, isRetryable: false })
}

function toCallError(url: string, { status, headers }: Response, answer: unknown): APICallError {
  const body = errorBodySchema.safeParse(answer).data
  return new APICallError({
    message: body?.message ?? `the service answered with status ${status}`,
    url,
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: Object.fromEntries(headers),
    ...(body && { responseBody: JSON.stringify({ message: body.message, error_type: body.error_type }) }),
    ...(headers.get('x-should-retry') === 'false' && { isRetryable: false }),
  })
}

function readAddress(baseURL: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidRequestError('baseURL', 'must be an address with http: or https:, such as http://localhost:8080')
  }
  // Other providers of the AI SDK are given theirs with /v1.
  url.pathname = url.pathname.replace(/(\/v1)?\/*$/, '/')
  return url
}
