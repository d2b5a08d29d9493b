import { InvalidRequestError } from '../errors/index.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds of a duration such as `25s`, `500ms`, `2m`, `12h` or `90d`.
 *
 * @throws InvalidRequestError naming the flag
 */
export function readDuration(flag: string, text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? []
  if (number === undefined || unit === undefined) {
    throw new InvalidRequestError(flag, `must be a duration such as 25s, 500ms or 2m, got '${text}'`)
  }
  return Number(number) * UNITS[unit]!
}
