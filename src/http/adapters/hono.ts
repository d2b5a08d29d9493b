/**
 * The service in an app of Hono.
 *
 * @module tessera-onnx/hono
 */
import type { Context, HonoRequest } from 'hono'
import { countSegments, dropSegments, type FetchServer, rebase, requireServer } from './fetch-server.ts'

/** What is read of a context. An app may have another copy of Hono than this module, whose classes are not assignable to these. */
export interface HonoContext {
  /** The request, as far as it is read. */
  readonly req: Pick<HonoRequest, 'url' | 'raw' | 'bodyCache' | 'arrayBuffer'> & { readonly routePath?: string }
}

/**
 * A handler for Hono: `app.all('/ai/*', toHonoHandler(server))`. What `*` stands for is the path that counts.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * const app = new Hono().all('/ai/*', toHonoHandler(server))
 * ```
 */
export function toHonoHandler(server: FetchServer): (context: HonoContext) => Promise<Response> {
  requireServer(server)
  return async (context) => {
    const { req } = context
    // The helper knows only contexts of its own copy of Hono: `require` and `import` of it are two, and a workspace may have more.
    const route = req.routePath ?? (await findRoute(context as Context))
    const path = dropSegments(new URL(req.url).pathname, countSegments(route.replace(/\*$/, '')))
    return server.fetch(rebase(req.raw.bodyUsed ? await withBody(context) : req.raw, path))
  }
}

/** Hono before 4.8 has no such module, and needs none. */
async function findRoute(context: Context): Promise<string> {
  return (await import('hono/route')).routePath(context)
}

/** A middleware has read the body: Hono kept what it read, but for what was read past it. */
async function withBody({ req }: HonoContext): Promise<Request> {
  if (Object.keys(req.bodyCache).length === 0) return req.raw
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
