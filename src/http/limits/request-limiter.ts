import { RateLimitError } from '../../errors/index.ts'
import type { ApiKey } from '../keys/key-store.ts'
import { Tally } from '../tally.ts'
import { type Allowance, type CountRequest, createLocalCounter } from './count-requests.ts'

/** How much the keys of one account may ask for together, unless they say otherwise themselves. */
export interface RateLimits {
  /**
   * Requests of one account in a minute. Default: no limit.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, limits: { requestsPerMinute: 60 } })
   * ```
   */
  readonly requestsPerMinute?: number | undefined
  /**
   * Input tokens of decisions of one account in a minute. Default: no limit.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, limits: { tokensPerMinute: 100_000 } })
   * ```
   */
  readonly tokensPerMinute?: number | undefined
  /**
   * Requests of one account at the same time, in one process. Default 32 where there are keys, else no limit.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, limits: { concurrency: 4 } })
   * ```
   */
  readonly concurrency?: number | undefined
}

/** A place comes free when an answer is done, which nobody can tell the time of. */
const PLACE_RETRY_MS = 500

/** Keeps one account from using up what all share. */
export class RequestLimiter {
  readonly #defaults: RateLimits
  readonly #count: CountRequest
  readonly #running = new Tally()

  constructor(defaults: RateLimits, count = createLocalCounter()) {
    this.#defaults = defaults
    this.#count = count
  }

  /**
   * Lets a request in.
   *
   * @param note Called with what is left of the key's minute, also where that is nothing; not for keys without a limit.
   * @returns what to call when it is answered; further calls do nothing
   * @throws RateLimitError saying when to try again
   */
  async enter(key: ApiKey, note: (allowance: Allowance) => void = () => {}): Promise<() => void> {
    const { id } = key
    const most = key.concurrency ?? this.#defaults.concurrency ?? Number.POSITIVE_INFINITY
    if (this.#running.of(id) >= most) {
      throw new RateLimitError(`too many requests at once for this API key: at most ${most}; retry with backoff`, {
        retryAfterMs: PLACE_RETRY_MS,
      })
    }
    // The place is taken before anything is awaited, or two requests could take the last one.
    this.#running.add(id, 1)
    const leave = () => this.#running.add(id, -1)
    try {
      await this.#consume(key, note)
    } catch (error) {
      leave()
      throw error
    }
    let inside = true
    return () => {
      if (inside) leave()
      inside = false
    }
  }

  async #consume(
    { id, requestsPerMinute: perMinute = this.#defaults.requestsPerMinute }: ApiKey,
    note: (allowance: Allowance) => void,
  ): Promise<void> {
    if (perMinute === undefined) return
    const count = await this.#count(id, perMinute)
    note({ perMinute, ...count })
    if (!count.isOver) return
    throw new RateLimitError(`too many requests for this API key: at most ${perMinute} a minute; retry later`, {
      retryAfterMs: count.resetMs,
    })
  }
}
