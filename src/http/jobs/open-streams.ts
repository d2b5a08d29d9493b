import { RateLimitError } from '../../errors/index.ts'
import { Tally } from '../tally.ts'

/** A stream ends when its job does, which nobody can tell the time of. */
const RETRY_MS = 1000

/** Counts the event streams that each account has open: they hold connections, and watch jobs for as long as these take. */
export class OpenStreams {
  readonly #most: number
  readonly #open = new Tally()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * @returns what to call, once, when the stream has ended
   * @throws RateLimitError where the account has too many
   */
  enter(account: string): () => void {
    if (this.#open.of(account) >= this.#most) {
      throw new RateLimitError(
        `too many event streams at once for this API key: at most ${this.#most}; end some, or ask for the jobs themselves`,
        { retryAfterMs: RETRY_MS },
      )
    }
    this.#open.add(account, 1)
    return () => this.#open.add(account, -1)
  }
}
