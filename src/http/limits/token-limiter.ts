import { InvalidRequestError, RateLimitError } from '../../errors/index.ts'
import type { ApiKey } from '../keys/key-store.ts'
import { type Allowance, type CountRequest, createLocalCounter } from './count-requests.ts'

/** Keeps one account from having more tokens read in a minute than it may. */
export class TokenLimiter {
  readonly #preset: number | undefined
  readonly #count: CountRequest

  /** @param preset Tokens a minute of keys that say nothing of their own; default no limit. */
  constructor(preset?: number, count = createLocalCounter()) {
    this.#preset = preset
    this.#count = count
  }

  /**
   * Counts the tokens of a request before the work.
   *
   * @param foresee Tells how many there are; asked only where the key has a limit.
   * @param note Called with what is left of the key's minute, also where that is too little; not for keys without a limit.
   * @throws RateLimitError saying when to try again; InvalidRequestError for more than a minute ever allows
   */
  async take(
    { id, tokensPerMinute: perMinute = this.#preset }: ApiKey,
    foresee: () => Promise<number> | number,
    note: (allowance: Allowance) => void,
  ): Promise<void> {
    if (perMinute === undefined) return
    const tokens = await foresee()
    if (tokens > perMinute) {
      const reason = `has ${tokens} tokens with its questions, and this API key may have ${perMinute} a minute read`
      throw new InvalidRequestError('state', reason)
    }
    const count = await this.#count(id, perMinute, tokens)
    note({ perMinute, ...count })
    if (!count.isOver) return
    throw new RateLimitError(`too many tokens for this API key: at most ${perMinute} a minute; retry later`, {
      retryAfterMs: count.resetMs,
    })
  }
}
