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
    return this.#routes.filter((route) => matches(route.path, path))
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

/** What stands for the names in braces. */
export function readParams(pattern: string, path: string): Readonly<Record<string, string>> {
  const segments = path.split('/')
  const named = pattern
    .split('/')
    .flatMap((name, index) => (isName(name) ? [[name.slice(1, -1), segments[index]!]] : []))
  return Object.fromEntries(named) as Record<string, string>
}

function matches(pattern: string, path: string): boolean {
  if (!pattern.includes('{')) return pattern === path
  const wanted = pattern.split('/')
  const segments = path.split('/')
  return (
    wanted.length === segments.length &&
    wanted.every((name, index) => (isName(name) ? segments[index] !== '' : name === segments[index]))
  )
}

function isName(segment: string): boolean {
  return segment.startsWith('{')
}
