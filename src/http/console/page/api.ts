import type { UsageReport } from '../../routes/usage-route.ts'
import { getKey } from './session.ts'

/** A request that was not answered with 200. */
export class ApiError extends Error {
  /** 0 where there was no answer. */
  readonly status: number
  readonly errorType: string | undefined
  /** Where in the body the fault is, such as `['questions', 'team', 'criteria']`. */
  readonly loc: readonly string[]
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status = 0, errorType, loc = [], retryAfterMs }: Partial<Omit<ApiError, keyof Error>>) {
    super(message)
    this.status = status
    this.errorType = errorType
    this.loc = loc
    this.retryAfterMs = retryAfterMs
  }
}

interface ErrorBody {
  readonly message?: string
  readonly error_type?: string
  readonly detail?: unknown
}

export function readUsage(): Promise<UsageReport> {
  return send('v1/usage', {}) as Promise<UsageReport>
}

export function post(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  return send(path, {
    method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, signal,
  })
}

/** Paths are relative, so that the service may be mounted below another path. */
async function send(path: string, init: RequestInit): Promise<unknown> {
  const headers = new Headers(init.headers)
  const key = getKey()
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  let response: Response
  try {
    response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError('The server could not be reached.', {})
  }
  const value: unknown = await response.json().catch(() => ({}))
  if (response.ok) return value
  throw toError(response, value as ErrorBody)
}

function toError({ status, headers }: Response, { message, error_type: errorType, detail }: ErrorBody): ApiError {
  const [first] = Array.isArray(detail) ? (detail as { loc?: string[] }[]) : []
  const wait = headers.get('retry-after-ms')
  return new ApiError(message ?? `The server answered ${status}.`, {
    status,
    errorType,
    loc: first?.loc?.slice(1) ?? [],
    retryAfterMs: wait === null ? undefined : Number(wait),
  })
}
