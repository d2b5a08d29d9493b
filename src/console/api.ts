import type { UsageReport } from '../http/routes/usage-route.ts'
import type { DecisionResponse } from '../schemas/index.ts'
import { readEventStream } from './event-stream.ts'
import { getKey } from './session.ts'

/** A request that was not answered with 200. */
export class ApiError extends Error {
  /** 0 where there was no answer, 200 where it broke off. */
  readonly status: number
  readonly errorType: string | undefined
  /** The place of the fault in the body, such as `['questions', 'team', 'criteria']`. */
  readonly loc: readonly string[]
  readonly retryAfterMs: number | undefined

  constructor(message: string, details: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message)
    const { status = 0, errorType, loc = [], retryAfterMs } = details
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

export interface Progress {
  readonly stage: string
  readonly done: number
  readonly total: number
}

/** Whoever waits for pictures is told how far they are, and shown what they will be, as base64. */
export interface Watcher {
  onProgress(progress: Progress): void
  onPreview(picture: string): void
}

/** Previews of a picture that are asked for, as many as the service sends. */
const PREVIEWS = 3

/** Pictures as base64, and what the server warned of. */
export interface Pictures {
  readonly pictures: readonly string[]
  readonly warnings: readonly string[]
}

export async function readUsage(): Promise<UsageReport> {
  return (await send('v1/usage', {})).json() as Promise<UsageReport>
}

export async function postDecision(body: object, signal: AbortSignal): Promise<DecisionResponse> {
  return (await post('v1/systemone', body, signal)).json() as Promise<DecisionResponse>
}

/** Asks for pictures, and for news of them while they are made. Resolves with them. */
export async function postForPictures(
  path: string,
  body: object,
  signal: AbortSignal,
  { onProgress, onPreview }: Watcher,
): Promise<Pictures> {
  const response = await post(path, { ...body, stream: true, partial_images: PREVIEWS }, signal)
  const pictures: string[] = []
  const warnings: string[] = []
  for await (const { event, data = '{}', comment } of readEventStream(response.body!)) {
    if (comment?.startsWith('progress ')) onProgress(JSON.parse(comment.slice('progress '.length)) as Progress)
    if (comment?.startsWith('warnings ')) {
      const told = JSON.parse(comment.slice('warnings '.length)) as { message: string }[]
      warnings.push(...told.map(({ message }) => message))
    }
    if (event === 'error') throw toError(response, JSON.parse(data) as ErrorBody)
    if (event?.endsWith('.partial_image')) onPreview((JSON.parse(data) as { b64_json: string }).b64_json)
    if (event?.endsWith('.completed')) pictures.push((JSON.parse(data) as { b64_json: string }).b64_json)
  }
  if (pictures.length === 0) throw new ApiError('The answer broke off before the pictures were there.')
  return { pictures, warnings }
}

function post(path: string, body: object, signal: AbortSignal): Promise<Response> {
  return send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    signal,
  })
}

/** Paths are relative, so that the service may be mounted below another path. */
async function send(path: string, init: RequestInit): Promise<Response> {
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
  throw toError(response, (await response.json().catch(() => ({}))) as ErrorBody)
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
