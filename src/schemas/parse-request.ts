import type * as z from 'zod'
import { InvalidRequestError } from '../errors/index.ts'
import { grouped, isPlainObject } from './fault.ts'
import { nearestName } from './nearest-name.ts'
import { insideOf } from './zod-reader.ts'

type Issue = z.core.$ZodIssue

/**
 * Parses a request body, or throws an `InvalidRequestError` for its first fault in document order. Members that are
 * missing count as coming after those that are there. Nothing that a caller can pass in makes it throw anything else.
 *
 * @param showsInside whether the path goes on inside a state or a text, through names that are the caller's content
 */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown, showsInside = false): T {
  try {
    const result = schema.safeParse(body)
    if (result.success) return result.data
    throw toInvalidRequest(firstInDocument(result.error.issues, body), body, showsInside)
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error
    throw new InvalidRequestError('body', 'could not be read: a getter or a proxy threw', { loc: [], cause: error })
  }
}

function toInvalidRequest(issue: Issue, body: unknown, showsInside: boolean): InvalidRequestError {
  const inside = insideOf(issue)
  const loc = [...issue.path.map(String), ...(showsInside ? inside : [])]
  const reason = showsInside || inside.length === 0 ? issue.message : `${issue.message}; ${levels(inside.length)} below`
  const misspelt = findMisspelt(issue.path, body)
  const given = misspelt === undefined ? '' : `; got ${misspelt} instead`
  return new InvalidRequestError(loc.length === 0 ? 'body' : loc.join('.'), reason + given, { loc })
}

/** The member that stands where one at the path is missing, with a name near to that one's. */
function findMisspelt(path: readonly PropertyKey[], body: unknown): string | undefined {
  const name = path.at(-1)
  const parent = path
    .slice(0, -1)
    .reduce((value, key) => (value as Partial<Record<PropertyKey, unknown>> | null | undefined)?.[key], body)
  if (typeof name !== 'string' || !isPlainObject(parent) || Object.hasOwn(parent, name)) return undefined
  return nearestName(
    name,
    Object.keys(parent).filter((key) => parent[key] !== undefined),
  )
}

function levels(count: number): string {
  return count === 1 ? 'one level' : `${grouped(count)} levels`
}

function firstInDocument(issues: readonly Issue[], body: unknown): Issue {
  const places = new Places()
  const ranked = issues.map((issue) => ({ issue, place: places.of(issue.path, body) }))
  return ranked.reduce((first, other) => (comparePlaces(other.place, first.place) < 0 ? other : first)).issue
}

/** Where the values of a body stand in it. */
class Places {
  /** The names of each object in their order. Listing them for each of many issues would take quadratic time. */
  readonly #orders = new Map<object, ReadonlyMap<string, number>>()

  /** The index of each name of the path among the members at that level, or Infinity where it is missing. */
  of(path: readonly PropertyKey[], body: unknown): number[] {
    let parent = body
    return path.map((name, level) => {
      const index = this.#indexOf(name, parent)
      // The value at the end of the path is not read: reading it may be what failed.
      if (level < path.length - 1)
        parent = index === undefined ? undefined : (parent as Record<PropertyKey, unknown>)[name]
      return index ?? Number.POSITIVE_INFINITY
    })
  }

  #indexOf(name: PropertyKey, parent: unknown): number | undefined {
    if (typeof parent !== 'object' || parent === null) return undefined
    if (Array.isArray(parent)) return Number(name)
    let order = this.#orders.get(parent)
    if (order === undefined) {
      order = new Map(Object.keys(parent).map((key, index) => [key, index]))
      this.#orders.set(parent, order)
    }
    return order.get(String(name))
  }
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (let level = 0; level < Math.min(a.length, b.length); level++) {
    if (a[level] !== b[level]) return a[level]! < b[level]! ? -1 : 1
  }
  return a.length - b.length
}
