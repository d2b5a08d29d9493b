import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidRequestError } from '../../errors/index.ts'
import { count, readOption } from '../../options/index.ts'
import { createNodeServer, type NodeTimeouts } from '../adapters/node.ts'
import type { Server } from '../server.ts'

export interface HttpService {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** Takes no more requests, and resolves when those being answered are and every connection is closed. */
  close(end?: Ending): Promise<void>
}

/** How a service ends. */
export interface Ending {
  /** Milliseconds in which requests are still taken while `/readyz` refuses more; default 0. */
  readonly drainMs?: number
  /** Milliseconds, from the beginning, after which connections that are still open are cut off; default never. */
  readonly graceMs?: number
}

const IDLE_CHECK_MS = 20

/** How long what was cut off has to be put in order: a store that is away would be waited for. */
const LATE_MS = 5000

/**
 * Listens for requests.
 *
 * @param port 0 for any free one
 * @throws InvalidRequestError for an address that cannot be listened on
 */
export async function serveHttp(
  server: Server,
  host: string,
  port: number,
  timeouts?: NodeTimeouts,
): Promise<HttpService> {
  readOption('port', count(0, 65_535), port)
  const http = createNodeServer(server, timeouts)
  const unused = watchUnused(http)
  await listen(http, host, port)
  const { address, port: opened, family } = http.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${opened}`,
    async close({ drainMs = 0, graceMs } = {}) {
      // What is cut off counts as hung up: its work stops, and is not charged.
      const cut = graceMs === undefined ? undefined : setTimeout(() => http.closeAllConnections(), graceMs)
      await drain(server, http, drainMs)
      await within(graceMs === undefined ? undefined : graceMs - drainMs + LATE_MS, closeAll(server, http, unused))
      clearTimeout(cut)
    },
  }
}

/** Load balancers learn from `/readyz` to go elsewhere, and clients from their responses to open another connection. */
async function drain(server: Server, http: HttpServer, milliseconds: number): Promise<void> {
  server.drain()
  http.prependListener('request', (_, response) => void response.setHeader('connection', 'close'))
  if (milliseconds > 0) await sleep(milliseconds)
}

async function within(milliseconds: number | undefined, work: Promise<void>): Promise<void> {
  if (milliseconds === undefined) return work
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

async function closeAll(server: Server, http: HttpServer, unused: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((resolve) => http.close(resolve))
  await server.close()
  for (const socket of unused) socket.destroy()
  // A connection that was busy just now is idle in a moment, and would stay open for its client's next request.
  const check = setInterval(() => http.closeIdleConnections(), IDLE_CHECK_MS)
  await closed
  clearInterval(check)
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
