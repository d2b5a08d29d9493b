import { vi } from 'vitest'
import { keyOf } from '../kept-files.ts'

type Answer = string | Response | ((method: string, range?: string) => Response)

/** A server and the Cache Storage of a browser; `vi.unstubAllGlobals` takes both away. */
export interface FakeSite {
  /** By URL; others are 404, and `undefined` cannot be reached. A text is a file. */
  readonly answers: Record<string, Answer | undefined>
  /** Method and URL of every request, and which bytes it asks for. */
  readonly requests: string[]
  /** Status of what is kept for a URL. */
  kept(url: string): number | undefined
  /** Takes away the content of what is kept for a URL, from who reads it now on. */
  evict(url: string): void
}

export function stubSite(answers: FakeSite['answers'] = {}): FakeSite {
  const requests: string[] = []
  const stored = new Map<string, Response>()
  vi.stubGlobal('fetch', async (url: string, { method = 'GET', headers, signal }: RequestInit = {}) => {
    const range = new Headers(headers).get('range') ?? undefined
    requests.push([method, url, ...(range === undefined ? [] : [range])].join(' '))
    signal?.throwIfAborted()
    if (!Object.hasOwn(answers, url)) return new Response(null, { status: 404 })
    const answer = answers[url]
    if (answer === undefined) throw new TypeError('fetch failed')
    if (typeof answer === 'string') return file(answer)
    return typeof answer === 'function' ? answer(method, range) : answer.clone()
  })
  const evicted = new Set<string>()
  const cache = {
    match: async (url: string) => (evicted.has(url) ? withoutContent(stored.get(url)!) : stored.get(url)?.clone()),
    put: async (url: string, response: Response) => void (stored.set(url, response), evicted.delete(url)),
    delete: async (url: string) => stored.delete(url),
  }
  vi.stubGlobal('caches', { open: async () => cache })
  const kept = (url: string) => stored.get(keyOf(url))?.status
  return { answers, requests, kept, evict: (url) => void evicted.add(keyOf(url)) }
}

/** A file that a browser hands out and can't read any more. */
function withoutContent({ status, headers }: Response): Response {
  const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError('evicted')) })
  return new Response(body, { status, headers })
}

/** A file as servers send it, whose version is its content. */
export function file(text: string): Response {
  return new Response(text, { headers: { etag: `"${text}"`, 'content-length': String(text.length) } })
}

/** An answer to another question than was asked: a login, or the page of an app. */
export function page(status = 200): Response {
  return new Response('<!doctype html>', { status, headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** A file of a server that sends parts of it. */
export function inParts(content: Uint8Array<ArrayBuffer>): (method: string, range?: string) => Response {
  return (_, range) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? []
    if (first === undefined) return new Response(content)
    const headers = { 'content-range': `bytes ${first}-${last}/${content.length}` }
    return new Response(content.subarray(Number(first), Number(last) + 1), { status: 206, headers })
  }
}

export function refusal(status: number): Response {
  return new Response(null, { status })
}
