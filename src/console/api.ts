import type { UsageReport } from '../http/routes/usage-route.ts'
import type { DecisionResponse } from '../schemas/index.ts'
import { getKey } from './session.ts'

/** A request that was not answered with 200. */
export class ApiError extends Error {
  /** 0 where there was no answer, 200 where it broke off. */
  readonly status: number
  readonly errorType: string | undefined
  /** The place of the fault in the body, such as `['questions', 'team', 'criteria']`. */
  readonly loc: readonly string[]
  readonly retryAfterMs: number | undefined
  /** What the request was sent with. */
  readonly key: string | undefined

  constructor(message: string, details: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message)
    const { status = 0, errorType, loc = [], retryAfterMs, key } = details
    this.status = status
    this.errorType = errorType
    this.loc = loc
    this.retryAfterMs = retryAfterMs
    this.key = key
  }
}

/** Whether the key of this tab was refused. An answer to one that another was given after says nothing of that one. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401 && error.key === getKey()
}

interface ErrorBody {
  readonly message?: string
  readonly error_type?: string
  readonly detail?: unknown
}

export async function readUsage(): Promise<UsageReport> {
  return (await send('v1/usage', {})).json() as Promise<UsageReport>
}

export async function postDecision(body: object, signal: AbortSignal): Promise<DecisionResponse> {
  return (await post('v1/systemone', body, { signal })).json() as Promise<DecisionResponse>
}

/** Its signal stops waiting for the answer; without one it is waited for. */
export function post(path: string, body: object, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('content-type', 'application/json')
  return send(path, { ...init, method: 'POST', body: JSON.stringify(body), headers })
}

/** Paths are relative, so that the service may be mounted below another path. */
export async function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers)
  const key = getKey()
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  let response: Response
  try {
    response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError('The server could not be reached.')
  }
  if (response.ok) return response
  throw toError(response, (await response.json().catch(() => ({}))) as ErrorBody, key)
}

function toError(
  { status, headers }: Response,
  { message, error_type: errorType, detail }: ErrorBody,
  key: string | undefined,
): ApiError {
  const [first] = Array.isArray(detail) ? (detail as { loc?: string[] }[]) : []
  const wait = headers.get('retry-after-ms')
  return new ApiError(message ?? `The server answered ${status}.`, {
    status,
    errorType,
    loc: first?.loc?.slice(1) ?? [],
    retryAfterMs: wait === null ? undefined : Number(wait),
    key,
  })
}
