/**
 * The service in an app of Hono.
 *
 * @module tessera-onnx/hono
 */
import type { Context } from 'hono'
import { routePath } from 'hono/route'
import { countSegments, dropSegments, type FetchServer, rebase } from './fetch-server.ts'

/**
 * A handler for Hono: `app.all('/ai/*', toHonoHandler(server))`. What `*` stands for is the path that counts.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * const app = new Hono().all('/ai/*', toHonoHandler(server))
 * ```
 */
export function toHonoHandler(server: FetchServer): (context: Context) => Promise<Response> {
  return async (context) => {
    const { req } = context
    const path = dropSegments(new URL(req.url).pathname, countSegments(routePath(context).replace(/\*$/, '')))
    return server.fetch(rebase(req.raw.bodyUsed ? await withBody(context) : req.raw, path))
  }
}

/** A middleware has read the body: Hono kept what it read. */
async function withBody({ req }: Context): Promise<Request> {
  const { method, signal } = req.raw
  const headers = new Headers(req.raw.headers)
  const { arrayBuffer, formData } = req.bodyCache
  if (arrayBuffer !== undefined || formData === undefined) {
    return new Request(req.url, { method, headers, signal, body: await req.arrayBuffer() })
  }
  // A form is written anew, with a boundary and a length of its own.
  headers.delete('content-type')
  headers.delete('content-length')
  return new Request(req.url, { method, headers, signal, body: await formData })
}
