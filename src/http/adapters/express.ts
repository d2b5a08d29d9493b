import type { FetchServer } from './fetch-server.ts'
import { type NodeListener, toNodeListener } from './node.ts'

/**
 * Middleware for Express: `app.use('/ai', toExpressHandler(server))`. It answers everything below the path it is
 * mounted at, with or without a body parser in front of it. Such a parser's own limit applies; that of
 * `express.json()` is 100 kB.
 */
export function toExpressHandler(server: FetchServer): NodeListener {
  return toNodeListener(server)
}
