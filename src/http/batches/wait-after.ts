import { OverloadedError, RateLimitError, StoreUnavailableError } from '../../errors/index.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Tries of a line that is refused because the service is busy: some nine minutes. A limit of tokens is waited for as long as it takes. */
const MOST_TRIES = 15

/**
 * How long a line waits for its next try, in milliseconds.
 *
 * @returns undefined where it is of no use to ask again
 */
export function waitAfter(thrown: unknown, tries: number): number | undefined {
  const isLimit = RateLimitError.isInstance(thrown)
  const isBusy = OverloadedError.isInstance(thrown) || StoreUnavailableError.isInstance(thrown)
  if (!isLimit && !(isBusy && tries < MOST_TRIES)) return undefined
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1))
  return thrown.retryAfterMs ?? backoff
}
