import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests of one connection that may wait for their answers. Node begins all that a client sends without reading, and what it has
 * read of them at once are thousands.
 */
const MOST_WAITING = 100

/** Says of each request whether it is to be answered. A connection with too many that wait is closed. */
export function createWaitingBound(): (message: IncomingMessage, response: ServerResponse) => boolean {
  const counts = new WeakMap<Socket, number>()
  return ({ socket }, response) => {
    // Others of a connection that was closed were read before.
    if (socket.destroyed) return false
    const count = (counts.get(socket) ?? 0) + 1
    if (count > MOST_WAITING) {
      socket.destroy()
      return false
    }
    counts.set(socket, count)
    response.once('close', () => counts.set(socket, counts.get(socket)! - 1))
    return true
  }
}
