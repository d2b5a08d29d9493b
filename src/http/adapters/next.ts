/**
 * The service in an app of Next.js.
 *
 * @module tessera-onnx/next
 */
import { type FetchServer, rebase, requireServer } from './fetch-server.ts'

/** What Next hands a route beside the request. */
export interface RouteContext {
  /** What its segments stand for. */
  readonly params: Promise<Readonly<Record<string, string | string[] | undefined>>>
}

/** A function that Next calls for a method of a route. */
export type RouteHandler = (request: Request, context: RouteContext) => Promise<Response>

/**
 * Route handlers for Next.js, which `app/ai/[...path]/route.ts` exports by these names. What the catch-all segment
 * stands for is the path that counts. Needs the nodejs runtime, and `tessera-onnx` under
 * `serverExternalPackages`.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * const { GET, POST, PUT, PATCH, DELETE } = toNextHandlers(server)
 * ```
 */
export function toNextHandlers(
  server: FetchServer,
): Readonly<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', RouteHandler>> {
  requireServer(server)
  const answer: RouteHandler = async (request, { params }) => {
    const caught = Object.values(await params).find((value) => Array.isArray(value)) ?? []
    // From the address itself: Next decodes the parameters.
    const segments = new URL(request.url).pathname.split('/').filter((segment) => segment !== '')
    return server.fetch(rebase(request, `/${segments.slice(segments.length - caught.length).join('/')}`))
  }
  return { GET: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer }
}
