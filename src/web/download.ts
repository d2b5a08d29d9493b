import { DownloadFailedError, InsufficientMemoryError } from '../errors/index.ts'
import { findKept, isPacked, keepFile } from './kept-files.ts'

/** That there is no such file is part of a model, and is kept too. */
const NONE = 404
/** Storage that may not be listed, such as a bucket of S3, answers so for what it does not have. */
const FORBIDDEN = 403
/** The server is busy, as those of 500 and more are out of order: neither says anything about the file. */
const TOO_MANY = 429

export interface DownloadOptions {
  /** Stops it. */
  readonly signal?: AbortSignal
  /** Told the length of every part that arrives. */
  readonly onBytes?: (length: number) => void
}

/**
 * Loads a file and keeps it in Cache Storage. What is kept is used as long as the server says that it has not changed,
 * or cannot be reached or is out of order. Undefined where there is no such file.
 *
 * @throws DownloadFailedError; InsufficientMemoryError for a file that is too large for the browser
 */
export async function download(
  url: string,
  { signal, onBytes = () => {} }: DownloadOptions = {},
): Promise<Uint8Array | undefined> {
  const kept = await findKept(url)
  if (kept && (await isCurrent(url, kept, signal))) {
    if (kept.status === NONE) return undefined
    // Browsers evict what they keep whenever they need its room, also while it is read.
    const bytes = await readAll(kept, url, onBytes).catch(() => undefined)
    if (bytes !== undefined) return bytes
  }
  signal?.throwIfAborted()
  const response = await request(url, signal && { signal })
  if (isAbsent(response)) {
    if (kept === undefined) await keepFile(url, new Response(null, { status: NONE }))
    if (!kept?.ok || response.status === NONE) return undefined
  }
  // A page in place of a file that was there says that the server wants a login now, or is out of order.
  if (!response.ok || isPage(response)) throw new DownloadFailedError(url, `the server ${describe(response)}`)
  const bytes = await readAll(response, url, onBytes)
  await keepFile(url, new Response(bytes, { headers: pick(response.headers, VALIDATORS) }))
  return bytes
}

/**
 * Bytes that a file has on its way, or undefined where there is none. Servers that don't say count as 0, as do those that
 * refuse to be asked: progress is all that it is for. While a server cannot be reached there is only what is kept.
 */
export async function measureDownload(url: string, signal?: AbortSignal): Promise<number | undefined> {
  const kept = await findKept(url)
  if (kept?.status === NONE) return undefined
  const size = await kept?.blob().then(
    (file) => file.size,
    // Evicted meanwhile.
    () => undefined,
  )
  if (size !== undefined) return size
  const response = await request(url, { method: 'HEAD', ...(signal && { signal }) }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    return undefined
  })
  if (response === undefined || isAbsent(response)) return undefined
  return response.ok ? Number(response.headers.get('content-length') ?? 0) : 0
}

/**
 * The server is asked, whatever the browser's HTTP cache holds: where that has some files of a model and not others, old ones would be
 * mixed with new ones. What has not changed is not sent again.
 */
const FRESH = { cache: 'no-cache' } as const

const VALIDATORS = ['etag', 'last-modified']

/** A server that names no version of a file is asked for it again each time. */
async function isCurrent(url: string, kept: Response, signal: AbortSignal | undefined): Promise<boolean> {
  const ask = (method: string) => fetch(url, { ...FRESH, method, ...(signal && { signal }) }).catch(() => undefined)
  // Storage whose rules for other origins name GET alone refuses HEAD like a server that cannot be reached.
  const now = (await ask('HEAD')) ?? (await ask('GET'))
  void now?.body?.cancel().catch(() => {})
  if (now === undefined || now.status >= 500 || now.status === TOO_MANY) return true
  // Storage that forbids HEAD may have the file by now, so only GET tells.
  if (kept.status === NONE && isAbsent(now) && now.status !== FORBIDDEN) return true
  const validator = VALIDATORS.find((name) => now.headers.has(name))
  return validator !== undefined && readVersion(now, validator) === readVersion(kept, validator)
}

/** Servers that compress an answer mark its ETag as weak, and leave it as it is where HEAD has nothing to compress. */
function readVersion({ headers }: Response, validator: string): string | undefined {
  return headers.get(validator)?.replace(/^W\//, '')
}

function request(url: string, init?: RequestInit): Promise<Response> {
  return fetch(url, { ...FRESH, ...init }).catch((cause: unknown) => {
    // An extension answers no 404: asking for what is not in it fails.
    if (isPacked(url) && !init?.signal?.aborted) return new Response(null, { status: NONE })
    const reason =
      'the request failed; is the address right, does its server allow this page (CORS), and does the ' +
      'Content-Security-Policy of the page allow the address (connect-src)?'
    throw new DownloadFailedError(url, reason, { cause })
  })
}

/** Servers of single-page apps answer with their page for what they don't have. */
function isAbsent(response: Response): boolean {
  return response.status === NONE || response.status === FORBIDDEN || (response.ok && isPage(response))
}

function isPage(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/html') ?? false
}

function describe(response: Response): string {
  return `answered ${response.status}${isPage(response) ? ' with a page (text/html) in place of the file' : ''}`
}

async function readAll(
  response: Response,
  url: string,
  onBytes: (length: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  try {
    for (const reader = response.body!.getReader(); ;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
      onBytes(value.length)
    }
  } catch (cause) {
    throw new DownloadFailedError(url, 'the connection broke', { cause })
  }
  const file = new Blob(parts)
  return new Uint8Array(await file.arrayBuffer().catch((cause: unknown) => refuseSize(url, file.size, cause)))
}

/** Chromium gives nothing of more than 2 GiB in one piece, and says that permissions may be why. */
function refuseSize(url: string, needed: number, cause: unknown): never {
  const reason = `${url} has ${needed} bytes, which this browser does not hold in one piece`
  const remedy = 'Use a checkpoint in fewer bits (npx tessera-onnx quantize) or in several files of less than 2 GiB'
  throw new InsufficientMemoryError(reason, remedy, { needed, cause })
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}
