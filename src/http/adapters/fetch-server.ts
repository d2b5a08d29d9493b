/** What an adapter needs of a server, or of anything else that answers requests. */
export interface FetchServer {
  readonly fetch: (request: Request) => Promise<Response> | Response
}

/** The same request for another path; the query stays. */
export function rebase(request: Request, path: string): Request {
  const url = new URL(request.url)
  return new Request(`${url.origin}${path}${url.search}`, request)
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
