import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { InvalidRequestError } from '../../errors/index.ts'
import { createNodeServer } from '../adapters/node.ts'
import type { Server } from '../server.ts'

export interface HttpService {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Takes no more requests, and resolves when those being answered are and every connection is closed. */
  close(): Promise<void>
}

const IDLE_CHECK_MS = 20

/**
 * Listens for requests.
 *
 * @param port 0 for any free one
 * @throws InvalidRequestError for an address that cannot be listened on
 */
export async function serveHttp(server: Server, host: string, port: number): Promise<HttpService> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InvalidRequestError('port', `must be a whole number from 0 to 65535, got ${port}`)
  }
  const http = createNodeServer(server)
  const unused = watchUnused(http)
  await listen(http, host, port)
  const { address, port: opened, family } = http.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`,
    async close() {
      const closed = new Promise((resolve) => http.close(resolve))
      await server.close()
      for (const socket of unused) socket.destroy()
      // A connection that was busy just now is idle in a moment, and would stay open for its client's next request.
      const check = setInterval(() => http.closeIdleConnections(), IDLE_CHECK_MS)
      await closed
      clearInterval(check)
    },
  }
}

/** Connections that have not sent a request: browsers open some ahead, and Node does not take them for idle. */
function watchUnused(http: HttpServer): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  http.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  http.on('request', ({ socket }) => unused.delete(socket))
  return unused
}

function listen(http: HttpServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'it is taken' : (cause.code ?? 'unknown error')
      reject(new InvalidRequestError('port', `cannot listen on ${host}, port ${port} (${reason})`, { cause }))
    })
    http.listen(port, host, resolve)
  })
}
