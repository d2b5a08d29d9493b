import { RateLimitError } from '../../errors/index.ts'
import { createLocalCounter } from './count-requests.ts'

/** Calls of one key for operators in a minute: each reads or rewrites what all requests are checked against. */
const MOST_CALLS = 120

/** Wrong keys in a minute, from whomever they come. */
const MOST_WRONG = 20

const MINUTE_MS = 60_000

/** Keeps the routes for operators from being flooded, and their keys from being tried out there. */
export class AdminLimiter {
  readonly #count = createLocalCounter()
  /** Names of keys that were let in: whoever tries out others does not lock these out. */
  readonly #known = new Set<string>()
  #wrong = 0
  /** `performance.now()` at the first wrong key of this minute. */
  #since = Number.NEGATIVE_INFINITY

  /**
   * Called before a key is looked up.
   *
   * @param name Of the key, or undefined where there is none.
   * @throws RateLimitError saying when to try again, where too many wrong keys came and this one was never let in
   */
  check(name: string | undefined): void {
    const left = this.#since + MINUTE_MS - performance.now()
    if (left <= 0) this.#wrong = 0
    if (this.#wrong < MOST_WRONG || (name !== undefined && this.#known.has(name))) return
    throw new RateLimitError('too many wrong keys came for the routes of operators; retry later', {
      retryAfterMs: left,
    })
  }

  /** Counts a key that is wrong, or not for operators. */
  refused(name: string | undefined): void {
    if (name !== undefined) this.#known.delete(name)
    if (this.#wrong++ === 0) this.#since = performance.now()
  }

  /** Counts a call of a key that is right. @throws RateLimitError saying when to try again */
  async enter(name: string): Promise<void> {
    this.#known.add(name)
    const { isOver, resetMs } = await this.#count(name, MOST_CALLS)
    if (!isOver) return
    throw new RateLimitError(`too many calls of operators with this API key: at most ${MOST_CALLS} a minute`, {
      retryAfterMs: resetMs,
    })
  }
}
