import { randomUUID } from 'node:crypto'
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../refusal.ts'
import { createErrorResponse } from '../error-response.ts'
import type { FetchServer } from './fetch-server.ts'
import { type NodeRequest, sendWebResponse, toWebRequest } from './node-messages.ts'

/** A listener for `http.createServer`, and a handler for everything built on it. */
export type NodeListener = (message: IncomingMessage, response: ServerResponse) => void

/** Answers Node's requests; `message.url` is the path that counts. */
export function toNodeListener(server: FetchServer): NodeListener {
  return (message: NodeRequest, response) => {
    void answer(server, message, response).catch(() => response.destroy())
  }
}

/** An HTTP server, not yet listening, whose answer to a request that is no HTTP has the service's own form too. */
export function createNodeServer(server: FetchServer): HttpServer {
  // The origin matters to no route, and what a client expects beforehand is answered by how it is answered.
  const http = createHttpServer({ requireHostHeader: false }, toNodeListener(server))
  http.on('checkExpectation', (message, response) => http.emit('request', message, response))
  const responses = new WeakMap<Socket, ServerResponse>()
  http.on('request', ({ socket }, response) => {
    responses.set(socket, response)
    response.once('close', () => responses.delete(socket))
  })
  http.on('connect', (_, socket: Socket) => {
    // Node listens for no errors of a connection that it takes for a tunnel.
    socket.on('error', () => socket.destroy())
    const earlier = responses.get(socket)
    if (earlier === undefined) void refuse(socket, NO_PROXY)
    else earlier.once('close', () => void refuse(socket, NO_PROXY))
  })
  http.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    // In the midst of an answer, or from a client that was told already and keeps its side open, as this server lets it.
    if (responses.get(socket)?.headersSent || !socket.writable) socket.destroy()
    else void refuse(socket, FAULTS.get(code) ?? MALFORMED)
  })
  return http
}

async function answer(server: FetchServer, message: NodeRequest, response: ServerResponse): Promise<void> {
  await sendWebResponse(await server.fetch(toWebRequest(message, response)), response)
}

const MALFORMED = new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
const NO_PROXY = new Refusal(405, 'method_not_allowed', 'this server is no proxy', { allow: '' })

/** By the codes of Node. */
const FAULTS: ReadonlyMap<string | undefined, Refusal> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', new Refusal(408, 'invalid_request', 'the request did not arrive in time')],
  ['HPE_HEADER_OVERFLOW', new Refusal(431, 'invalid_request', 'the headers are larger than this server takes')],
])

/** In the form that clients of all routes read: which route it was for may not be known. */
async function refuse(socket: Socket, refusal: Refusal): Promise<void> {
  const response = createErrorResponse(refusal, 'openai')
  const body = await response.text()
  const id = randomUUID()
  const headers = [
    ...response.headers,
    ['x-request-id', id],
    ['x-typesafe-request-id', id],
    ['content-length', Buffer.byteLength(body)],
    ['connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${headers.join('')}\r\n${body}`, () =>
    socket.destroy(),
  )
}
