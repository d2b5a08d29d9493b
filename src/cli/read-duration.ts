import { InvalidRequestError } from '../errors/index.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Whole milliseconds of a duration such as `25s`, `500ms`, `2m`, `12h` or `90d`.
 *
 * @throws InvalidRequestError naming the flag
 */
export function readDuration(flag: string, text: string): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|[smhd])$/.exec(text) ?? []
  if (number === undefined || unit === undefined) {
    throw new InvalidRequestError(flag, `must be a duration such as 25s, 500ms or 2m, got '${text}'`)
  }
  // Products of fractions are off by a little: 16.1 × 1000 is 16100.000000000002.
  return Math.round(Number(number) * UNITS[unit]!)
}

/** Node's timers take what is longer than 24.8 days for 1 ms, and some wait a little longer than they are told here. */
const LONGEST = '24d'

/**
 * The same, of a time that something waits.
 *
 * @throws InvalidRequestError naming the flag
 */
export function readTime(flag: string, text: string, least: '0s' | '1ms' | '1s' = '0s'): number {
  const milliseconds = readDuration(flag, text)
  if (milliseconds < readDuration(flag, least))
    throw new InvalidRequestError(flag, `must be ${least} or longer, got '${text}'`)
  if (milliseconds > readDuration(flag, LONGEST))
    throw new InvalidRequestError(flag, `must be ${LONGEST} or shorter, got '${text}'`)
  return milliseconds
}
