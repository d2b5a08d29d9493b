/**
 * The service on the HTTP server of Node.
 *
 * @module tessera-onnx/node
 */
import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { count, LONGEST_TIMER_MS, optionTable, readOptions } from '../../options/index.ts'
import { createErrorResponse } from '../error-response.ts'
import { Refusal } from '../refusal.ts'
import { createWaitingBound } from './bound-waiting.ts'
import { type FetchServer, requireServer } from './fetch-server.ts'
import { LATE, type NodeRequest, noteExpecting, noteLate, sendWebResponse, toWebRequest } from './node-messages.ts'

/** A listener for `http.createServer`, and a handler for everything built on it. */
export type NodeListener = (message: IncomingMessage, response: ServerResponse) => void

/**
 * Answers Node's requests; `message.url` is the path that counts.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * http.createServer(toNodeListener(server)).listen(8080)
 * ```
 */
export function toNodeListener(server: FetchServer): NodeListener {
  requireServer(server)
  return (message: NodeRequest, response) => {
    // What h3 and others make handlers of waits for the promise, or answers itself meanwhile. The type says nothing of
    // it: rules for promises would refuse such a listener where Node takes one.
    return answer(server, message, response).catch(() => void response.destroy())
  }
}

/** How long connections may take, in milliseconds, each from 1 to 2147483647, which are 24.8 days. */
export interface NodeTimeouts {
  /**
   * An idle connection stays open; default 65 s, above the 60 s of usual load balancers.
   *
   * @example
   * ```ts
   * createNodeServer(createServer({ engine }), { keepAliveMs: 5_000 }).listen(8080)
   * ```
   */
  readonly keepAliveMs?: number | undefined
  /**
   * The headers of a request; default 20 s.
   *
   * @example
   * ```ts
   * createNodeServer(createServer({ engine }), { headersMs: 10_000 }).listen(8080)
   * ```
   */
  readonly headersMs?: number | undefined
  /**
   * A whole request, its body included; default 300 s.
   *
   * @example
   * ```ts
   * createNodeServer(createServer({ engine }), { requestMs: 60_000 }).listen(8080)
   * ```
   */
  readonly requestMs?: number | undefined
}

/** To Node 0 is no limit, where a reader takes it for the shortest, and what no timer can wait less than it is. */
const TIMEOUTS = optionTable('createNodeServer', {
  keepAliveMs: count(1, LONGEST_TIMER_MS).default(65_000),
  headersMs: count(1, LONGEST_TIMER_MS).default(20_000),
  requestMs: count(1, LONGEST_TIMER_MS).default(300_000),
} satisfies Record<keyof NodeTimeouts, unknown>)

/** A client that reads nothing of its answer for so long is taken for gone: what it does not read is held for it. */
const STALLED_MS = 300_000

/** How often connections are looked at that take too long. */
const CHECK_MS = 1000

/**
 * An HTTP server, not yet listening, whose answer to a request that is no HTTP has the service's own form too.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * createNodeServer(server, { keepAliveMs: 65_000 }).listen(8080)
 * ```
 *
 * @throws InvalidRequestError naming the option
 */
export function createNodeServer(server: FetchServer, timeouts: NodeTimeouts = {}): HttpServer {
  const { keepAliveMs, headersMs, requestMs } = readOptions(TIMEOUTS, timeouts)
  const settings = {
    // Checked below, in the service's own form.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: CHECK_MS,
  }
  const answerServer = toNodeListener(server)
  const refuseHost = toNodeListener({ fetch: async () => withIds(ONE_HOST) })
  const mayWait = createWaitingBound()
  const http = createHttpServer(settings, (message, response) => {
    if (mayWait(message, response)) (hasOneHost(message) ? answerServer : refuseHost)(message, response)
  })
  // A client that asks whether to send its body need not where its request is refused before.
  http.on('checkContinue', (message, response) => {
    noteExpecting(message, response)
    http.emit('request', message, response)
  })
  // What else a client expects beforehand is answered by how it is answered.
  http.on('checkExpectation', (message, response) => http.emit('request', message, response))
  // Node would leave out what comes after 2,000 headers, which may be the key. What they may be long bounds them.
  http.maxHeadersCount = 0
  const responses = new WeakMap<Socket, ServerResponse>()
  http.on('request', ({ socket }, response) => {
    responses.set(socket, response)
    response.once('close', () => {
      // A client that does not wait for its answers may have asked for the next one.
      if (responses.get(socket) === response) responses.delete(socket)
    })
  })
  cutOffStalled(http, responses)
  http.on('connect', (_, socket: Socket) => {
    // Node listens for no errors of a connection that it takes for a tunnel.
    socket.on('error', () => socket.destroy())
    const earlier = responses.get(socket)
    if (earlier === undefined) void refuse(socket, NO_PROXY)
    else earlier.once('close', () => void refuse(socket, NO_PROXY))
  })
  http.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    // In the midst of an answer, or from a client that was told already and keeps its side open, as this server lets it.
    if (responses.get(socket)?.headersSent || !socket.writable) return void socket.destroy()
    const refusal = FAULTS.get(code) ?? MALFORMED
    if (refusal === LATE) noteLate(socket)
    void refuse(socket, refusal)
  })
  return http
}

function cutOffStalled(http: HttpServer, responses: WeakMap<Socket, ServerResponse>): void {
  http.setTimeout(STALLED_MS, (socket: Socket) => {
    // One that waits for its answer, which may take hours, has nothing to read.
    if (responses.has(socket) && socket.writableLength === 0) socket.setTimeout(http.timeout)
    else socket.destroy()
  })
}

/** RFC 9112, section 3.2: without one, or with two, machines on the way may disagree on whom the request is for. */
function hasOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  const count = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length
  return count === 1 || (count === 0 && httpVersionMinor === 0)
}

async function answer(server: FetchServer, message: NodeRequest, response: ServerResponse): Promise<void> {
  await sendWebResponse(await server.fetch(toWebRequest(message, response)), response)
}

const MALFORMED = new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
const NO_PROXY = new Refusal(405, 'method_not_allowed', 'this server is no proxy', { allow: '' })
const ONE_HOST = new Refusal(400, 'invalid_request', 'Host: must be given once', { connection: 'close' })

/** By the codes of Node. */
const FAULTS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', LATE],
  ['HPE_HEADER_OVERFLOW', new Refusal(431, 'invalid_request', 'the headers are larger than this server takes')],
])

async function refuse(socket: Socket, refusal: Refusal): Promise<void> {
  const response = withIds(refusal)
  const body = await response.text()
  const headers = [...response.headers, ['connection', 'close']].map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
}

/** In the form that clients of all routes read: which route it was for may not be known. */
function withIds(refusal: Refusal): Response {
  const response = createErrorResponse(refusal, 'openai')
  const id = randomUUID()
  response.headers.set('x-request-id', id)
  response.headers.set('x-typesafe-request-id', id)
  return response
}
