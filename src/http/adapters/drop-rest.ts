import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'

/** Of a body that is still coming in when its request is answered. */
const MOST_BYTES = 64 * 2 ** 20
const LONGEST_MS = 5000
const CHECK_MS = 10

/**
 * Bounds what is read of a body that nobody wants: a client that was refused before its body was here may go on to
 * send it. A rest that is small and quick leaves the connection open; otherwise it is read no more, and closed once the
 * client has had time to read the answer.
 */
export function boundRest(message: IncomingMessage, response: ServerResponse & { stream?: ServerHttp2Stream }): void {
  const { stream } = response
  if (stream) return boundStream(stream)
  // Before Node's own listener, which closes the connection where its client asked for that.
  response.prependOnceListener('finish', () => {
    const { socket } = message
    // A request that a framework injects, as in tests with Fastify, comes over no connection that could be closed.
    if (message.complete || socket.destroyed || !('destroy' in socket)) return
    const start = socket.bytesRead
    const lastly = putOffClosing(socket)
    const check = setInterval(() => {
      if (message.complete) return stop()
      if (socket.bytesRead - start > MOST_BYTES) socket.pause()
    }, CHECK_MS)
    const timer = setTimeout(() => {
      stop()
      if (!message.complete) socket.destroy()
    }, LONGEST_MS)
    function stop() {
      clearInterval(check)
      clearTimeout(timer)
      // A connection may stay open for thousands of requests more.
      socket.off('close', stop)
      lastly()
    }
    socket.once('close', stop)
  })
}

/**
 * Has a connection that is to be closed only say so. A client that still sends, such as nginx, which asks for a connection to be closed after each
 * request, would meet a broken one in place of the answer.
 *
 * @returns what closes it then
 */
function putOffClosing(socket: Socket): () => void {
  let isLast = false
  socket.destroySoon = () => {
    isLast = true
    socket.end()
  }
  return () => {
    Reflect.deleteProperty(socket, 'destroySoon')
    if (isLast) socket.destroySoon()
  }
}

/** Over HTTP/2 a client is told that no more of its body is wanted, and its other requests go on. */
function boundStream(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders) return
  stream.once('finish', () => {
    if (!stream.readableEnded) stream.close()
  })
}
