import { readOption, withMethods } from '../../options/index.ts'
import { isTaken, readElsewhere, setParsedBody } from '../body/parsed-body.ts'

/** What an adapter needs of a server, or of anything else that answers requests. */
export interface FetchServer {
  readonly fetch: (request: Request) => Promise<Response> | Response
}

const SERVER = withMethods<FetchServer>('a server, as createServer() makes one', 'fetch')

/**
 * An engine in its place would break every connection without a word.
 *
 * @throws InvalidRequestError where it answers no requests
 */
export function requireServer(server: FetchServer): FetchServer {
  return readOption('server', SERVER, server)
}

/** The same request for another path; the query stays. */
export function rebase(request: Request, path: string): Request {
  const { origin, search } = new URL(request.url)
  const url = `${origin}${path}${search}`
  if (!isTaken(request)) return new Request(url, request)
  // One that was read cannot be copied whole: the service checks its path and key, and says why it cannot answer it.
  const { method, headers, signal } = request
  return setParsedBody(new Request(url, { method, headers, signal }), { failure: readElsewhere() })
}

/** A path, query and all, without its first segments: what is left below a prefix, whatever its parameters are. */
export function dropSegments(target: string, count: number): string {
  const [path = '', ...query] = target.split('?')
  return [
    `/${path
      .split('/')
      .slice(count + 1)
      .join('/')}`,
    ...query,
  ].join('?')
}

/** Segments of a route pattern such as `/api/:tenant`. */
export function countSegments(pattern: string): number {
  return pattern.split('/').filter((segment) => segment !== '').length
}
