import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
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
  const http = createHttpServer(toNodeListener(server))
  const responses = new WeakMap<Socket, ServerResponse>()
  http.on('request', ({ socket }, response) => {
    responses.set(socket, response)
    response.once('close', () => responses.delete(socket))
  })
  http.on('clientError', (_, socket: Socket) => {
    // In the midst of an answer, or from a client that was told already and keeps its side open, as this server lets it.
    if (responses.get(socket)?.headersSent || !socket.writable) socket.destroy()
    else void refuse(socket)
  })
  return http
}

async function answer(server: FetchServer, message: NodeRequest, response: ServerResponse): Promise<void> {
  await sendWebResponse(await server.fetch(toWebRequest(message, response)), response)
}

async function refuse(socket: Socket): Promise<void> {
  const error = new Refusal(400, 'invalid_request', 'the request is not valid HTTP')
  const body = await createErrorResponse(error, 'systemone').text()
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
      + `connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}
