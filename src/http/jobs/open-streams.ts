import { RateLimitError } from '../../errors/index.ts'

/** A stream ends when its job does, which nobody can tell the time of. */
const RETRY_MS = 1000

/** Counts the event streams that each account has open: they hold connections, and watch jobs for as long as these take. */
export class OpenStreams {
  readonly #most: number
  readonly #open = new Map<string, number>()

  constructor(most: number) {
    this.#most = most
  }

  /**
   * @returns what to call, once, when the stream has ended
   * @throws RateLimitError where the account has too many
   */
  enter(account: string): () => void {
    const open = this.#open.get(account) ?? 0
    if (open >= this.#most) {
      throw new RateLimitError(
        `too many event streams at once for this API key: at most ${this.#most}; end some, or ask for the jobs themselves`,
        { retryAfterMs: RETRY_MS },
      )
    }
    this.#open.set(account, open + 1)
    return () => this.#leave(account)
  }

  #leave(account: string): void {
    const open = this.#open.get(account)! - 1
    if (open === 0) this.#open.delete(account)
    else this.#open.set(account, open)
  }
}
