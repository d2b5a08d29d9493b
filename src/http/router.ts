import { Refusal } from './refusal.ts'
import type { Route } from './route.ts'

/**
 * The route of a request. Paths are compared as they are: a trailing slash is another path, and never a redirect, which
 * would lose the body.
 */
export class Router {
  readonly #routes: readonly Route[]

  constructor(routes: readonly Route[]) {
    this.#routes = routes
  }

  /** Routes of a path, whatever their method. */
  at(path: string): readonly Route[] {
    return this.#routes.filter((route) => route.path === path)
  }

  /** @throws Refusal (404, 405) */
  find(method: string, path: string): Route {
    const candidates = this.at(path)
    // A HEAD is a GET of which only the headers are sent.
    const found = candidates.find((route) => route.method === (method === 'HEAD' ? 'GET' : method))
    if (found) return found
    if (candidates.length === 0)
      throw new Refusal(404, 'not_found', 'there is nothing under this path; see /openapi.json')
    const allowed = candidates
      .flatMap((route) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
      .join(', ')
    throw new Refusal(405, 'method_not_allowed', `this path takes ${allowed}`, { allow: allowed })
  }
}
