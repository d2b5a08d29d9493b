import { InvalidRequestError } from '../errors/index.ts'

/** Headers as the AI SDK hands them on, in which `undefined` is as good as left out. */
export type CallHeaders = Readonly<Record<string, string | undefined>>

/**
 * Those of a later one stand for those of the same name before.
 *
 * @throws InvalidRequestError for what HTTP does not allow, without saying what it is: it may be a secret
 */
export function joinHeaders(...all: readonly (CallHeaders | undefined)[]): Headers {
  const joined = new Headers()
  for (const [name, value] of all.flatMap((headers) => Object.entries(headers ?? {}))) {
    if (value === undefined) continue
    try {
      joined.set(name, value)
    } catch {
      throw new InvalidRequestError(
        'headers',
        'must be names and values that HTTP allows: no line breaks, and nothing beyond Latin-1',
      )
    }
  }
  return joined
}

/**
 * Those of the request that goes on behind so many pictures of a call. Under one `Idempotency-Key` it would be refused, or get
 * the pictures that are drawn already.
 */
export function headersOfPart(headers: CallHeaders | undefined, drawn: number): CallHeaders | undefined {
  if (headers === undefined || drawn === 0) return headers
  const entries = Object.entries(headers).map(([name, value]) => {
    const isKey = name.toLowerCase() === 'idempotency-key' && value !== undefined
    return [name, isKey ? `${value}-${drawn}` : value] as const
  })
  return Object.fromEntries(entries)
}
