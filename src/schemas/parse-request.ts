import type { z } from 'zod'
import { InvalidRequestError } from '../errors/index.ts'

type Issue = z.core.$ZodIssue

/**
 * Parses a request body, or throws an `InvalidRequestError` for its first fault in document order. Members that are
 * missing count as coming after those that are there. Nothing that a caller can pass in makes it throw anything else.
 */
export function parseRequest<T>(schema: z.ZodType<T>, body: unknown): T {
  try {
    const result = schema.safeParse(body)
    if (result.success) return result.data
    throw toInvalidRequest(firstInDocument(result.error.issues, body))
  } catch (error) {
    if (error instanceof InvalidRequestError) throw error
    throw new InvalidRequestError('body', 'could not be read: a getter or a proxy threw', { loc: [], cause: error })
  }
}

function toInvalidRequest({ path, message }: Issue): InvalidRequestError {
  const loc = path.map(String)
  return new InvalidRequestError(loc.length === 0 ? 'body' : loc.join('.'), message, { loc })
}

function firstInDocument(issues: readonly Issue[], body: unknown): Issue {
  const ranked = issues.map(issue => ({ issue, place: placeOf(issue.path, body) }))
  ranked.sort((a, b) => comparePlaces(a.place, b.place))
  return ranked[0]!.issue
}

/** For each name of the path its index among the members at that level, or Infinity where it is missing. */
function placeOf(path: readonly PropertyKey[], body: unknown): number[] {
  let parent = body
  return path.map((name, level) => {
    const names = typeof parent === 'object' && parent !== null ? Object.keys(parent) : []
    const index = names.indexOf(String(name))
    // The value at the end of the path is not read: reading it may be what failed.
    if (level < path.length - 1) parent = index < 0 ? undefined : (parent as Record<PropertyKey, unknown>)[name]
    return index < 0 ? Number.POSITIVE_INFINITY : index
  })
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (let level = 0; level < Math.min(a.length, b.length); level++) {
    if (a[level] !== b[level]) return a[level]! < b[level]! ? -1 : 1
  }
  return a.length - b.length
}
