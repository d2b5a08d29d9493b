import { setTimeout as sleep } from 'node:timers/promises'
import { AbortedError, OverloadedError, RateLimitError, StoreUnavailableError } from '../../errors/index.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 60_000
/** Tries of what is refused because the service is busy: some nine minutes. A limit of tokens is waited for as long as it takes. */
const MOST_TRIES = 15

/**
 * Asks again where the service is too busy or the key has to wait.
 *
 * @throws AbortedError; what the last try threw
 */
export async function askAgain<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (thrown) {
      const wait = waitAfter(thrown, tries)
      if (wait === undefined) throw thrown
      await sleep(wait, undefined, { signal }).catch((cause: unknown) => {
        throw new AbortedError(undefined, { cause })
      })
    }
  }
}

/**
 * How long what was refused waits for its next try, in milliseconds.
 *
 * @returns undefined where it is of no use to ask again
 */
function waitAfter(thrown: unknown, tries: number): number | undefined {
  const isLimit = RateLimitError.isInstance(thrown)
  const isBusy = OverloadedError.isInstance(thrown) || StoreUnavailableError.isInstance(thrown)
  if (!isLimit && !(isBusy && tries < MOST_TRIES)) return undefined
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1))
  return thrown.retryAfterMs ?? backoff
}
