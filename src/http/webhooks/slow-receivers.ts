/** A receiver that takes longer to answer is slow. */
const SLOW_MS = 5000
/** Tries that the receivers of a slow account may have under way. */
const MOST_SLOW = 32

/**
 * Accounts whose receivers answer late or never. They have few tries at a time, as those of all other accounts would wait for
 * their connections.
 */
export class SlowReceivers {
  readonly #underway = new Map<string, number>()
  readonly #slow = new Set<string>()

  /** Whether one more try of an account has to wait. */
  isFull(account: string): boolean {
    return this.#slow.has(account) && (this.#underway.get(account) ?? 0) >= MOST_SLOW
  }

  /** Makes a try. The account is slow from then on if it took long, until the next one that did not. */
  async during<Result>(account: string, tried: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    this.#underway.set(account, (this.#underway.get(account) ?? 0) + 1)
    try {
      return await tried()
    } finally {
      const left = this.#underway.get(account)! - 1
      if (left === 0) this.#underway.delete(account)
      else this.#underway.set(account, left)
      if (performance.now() - begun > SLOW_MS) this.#slow.add(account)
      else this.#slow.delete(account)
    }
  }
}
