import type { EndedJob } from './kept-webhooks.ts'

/** A receiver that takes longer to answer is slow. */
const SLOW_MS = 5000
/** Tries that an account may have under way when one more goes to a slow receiver, while those of all accounts are many. */
const MOST_EACH = 32
/** Half of what a process has under way at most: a slow receiver may have what nobody else wants. */
const MANY = 128
/** Clients choose their names. */
const MOST_KNOWN = 10_000

/**
 * Receivers of accounts that answer late or never. They have few tries at a time, as those of all others, of the same account
 * too, would wait for their connections.
 */
export class SlowReceivers {
  /** By account. */
  readonly #underway = new Map<string, number>()
  readonly #slow = new Set<string>()
  #all = 0

  /** Whether one more try has to wait. */
  isFull(job: EndedJob): boolean {
    return this.#all >= MANY && (this.#underway.get(job.account) ?? 0) >= MOST_EACH && this.#slow.has(nameOf(job))
  }

  /** Makes a try. The receiver is slow from then on if it took long, until the next one that did not. */
  async during<Result>(job: EndedJob, tried: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    this.#count(job, 1)
    try {
      return await tried()
    } finally {
      this.#count(job, -1)
      this.#slow.delete(nameOf(job))
      if (performance.now() - begun > SLOW_MS) this.#slow.add(nameOf(job))
      if (this.#slow.size > MOST_KNOWN) this.#slow.delete(this.#slow.values().next().value!)
    }
  }

  #count({ account }: EndedJob, change: 1 | -1): void {
    const count = (this.#underway.get(account) ?? 0) + change
    this.#all += change
    if (count === 0) this.#underway.delete(account)
    else this.#underway.set(account, count)
  }
}

/** One that no address can be read from is refused at once. */
function nameOf({ account, webhook = '' }: EndedJob): string {
  return `${account} ${URL.canParse(webhook) ? new URL(webhook).host : ''}`
}
