import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { readElsewhere, setParsedBody } from '../body/parsed-body.ts'
import { Refusal } from '../refusal.ts'
import { boundRest } from './drop-rest.ts'

/** Methods that the web standard forbids in a Request. No route takes them, nor the one that stands in for them. */
const FORBIDDEN_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** What a client is told whose request takes too long to arrive. */
export const LATE = new Refusal(408, 'invalid_request', 'the request did not arrive in time')

/** Connections that were closed on clients which were told so. */
const late = new WeakSet<Socket>()

/** Says that a connection is closed as its request takes too long to arrive, and not by its client. */
export function noteLate(socket: Socket): void {
  late.add(socket)
}

/** Requests whose clients send their bodies when they are told to. */
const expecting = new WeakSet<IncomingMessage>()

/** Clients wait for a second to be told, then send what they have. Where that is refused, it is dropped as the body of any other. */
const EXPECTING_MS = 1000

/** Says that the client of a request waits to be told that its body is wanted. */
export function noteExpecting(message: IncomingMessage, response: ServerResponse): void {
  expecting.add(message)
  setTimeout(() => tellExpecting(message, response), EXPECTING_MS).unref()
}

function tellExpecting(message: IncomingMessage, response: ServerResponse): void {
  if (expecting.delete(message) && !response.headersSent) response.writeContinue()
}

/** A request whose body a framework may have read already. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown }

/** The web request of a Node one. Its signal fires when the client hangs up before it is answered. */
export function toWebRequest(message: NodeRequest, response: ServerResponse, target = message.url ?? '/'): Request {
  const { method = 'GET' } = message
  boundRest(message, response)
  const controller = new AbortController()
  const closed = () => {
    // Over HTTP/2 a response counts as finished also where its stream was cancelled; there it was not ended.
    if (response.writableFinished && response.writableEnded) return
    controller.abort(late.has(message.socket) ? LATE : new Error('the client hung up'))
  }
  // What stands in front of the service may have taken longer than the client waited: it closes once.
  if (response.destroyed) closed()
  else response.once('close', closed)
  const headers = toHeaders(message)
  const url = toUrl(target)
  const { signal } = controller
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, headers, signal })
  const init = { method: FORBIDDEN_METHODS.has(method) ? 'OPTIONS' : method, headers, signal }
  if (isTaken(message)) return setParsedBody(new Request(url, init), { failure: readElsewhere() })
  if (isUnread(message))
    return new Request(url, { ...init, body: toStream(message, response), duplex: 'half' } as RequestInit)
  const { body } = message
  // A parser has undone these, and counted the bytes.
  headers.delete('content-encoding')
  headers.delete('content-length')
  if (typeof body === 'string') return new Request(url, { ...init, body })
  if (body instanceof Uint8Array) return new Request(url, { ...init, body: body as Uint8Array<ArrayBuffer> })
  // A parser makes an empty object of nothing.
  if (message.headers['content-length'] === '0') return new Request(url, { ...init, body: '' })
  return setParsedBody(new Request(url, init), { value: body })
}

/** Writes a web response. Resolves when it is out, or the client is gone. */
export async function sendWebResponse(response: Response, target: ServerResponse): Promise<void> {
  if (target.destroyed) return
  target.statusCode = response.status
  for (const [name, value] of response.headers) target.setHeader(name, value)
  if (response.body === null) {
    target.end()
    return
  }
  try {
    await pipeline(Readable.fromWeb(response.body as NodeReadableStream), target)
  } catch (error) {
    if (!target.destroyed) throw error
  }
}

function toHeaders({ rawHeaders, headers: merged }: NodeRequest): Headers {
  const headers = new Headers()
  // From the raw list, where a header that came twice is still two: a merged one could hide the second.
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (!name.startsWith(':')) headers.append(name, rawHeaders[index + 1]!)
  }
  // What makes requests of the events of a function, such as serverless-http, leaves that list empty.
  if (rawHeaders.length > 0) return headers
  for (const [name, value] of Object.entries(merged)) {
    for (const one of [value ?? []].flat()) headers.append(name, one)
  }
  return headers
}

/** Whether something took its body and left no sign of it, as parsers do that are not those of Express. */
function isTaken({ body, readableDidRead, readableLength, headers }: NodeRequest): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  // What was looked at and put back is there.
  return body === undefined && readableDidRead && readableLength === 0 && hasBody
}

/** Whether its body is still to come. The parser of Express 4 leaves an empty object also for what is not of its type. */
function isUnread({ body, readableDidRead }: NodeRequest): boolean {
  if (typeof body !== 'object' || body === null) return body === undefined
  return !readableDidRead && Object.keys(body).length === 0
}

/** The origin does not matter to any route, and a Host header may be anything. */
function toUrl(target: string): string {
  const local = target.startsWith('/') ? `http://localhost${target}` : target
  const url = URL.canParse(local) ? new URL(local) : undefined
  // A path that is read as another one, such as `/console/../metrics`, may have been let through as what it is not.
  const isPlain = url !== undefined && pathOf(local) === url.pathname
  return `http://localhost${isPlain ? url.pathname + url.search : '/*'}`
}

/** As it is written. */
function pathOf(address: string): string {
  const [, path] = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(address) ?? []
  return path || '/'
}

function toStream(message: IncomingMessage, response: ServerResponse): ReadableStream<Uint8Array> {
  const chunks = message.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        tellExpecting(message, response)
        const { done, value } = (await chunks.next()) as IteratorResult<Uint8Array>
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        // The rest is read and dropped, within bounds: destroying the socket would take the answer with it.
        await chunks.return?.()
        message.resume()
      },
    },
    { highWaterMark: 0 },
  )
}
