import { Tally } from '../tally.ts'
import type { EndedJob } from './kept-webhooks.ts'

/** A receiver that takes longer to answer is slow. */
const SLOW_MS = 5000
/** Tries that an account may have under way when one more goes to a slow receiver, or to unknown ones, while those of all accounts are many. */
const MOST_EACH = 32
/** Half of what a process has under way at most: a slow receiver may have what nobody else wants. */
const MANY = 128
/** Clients choose their names. */
const MOST_KNOWN = 10_000

/**
 * Receivers of accounts that answer late or never. They have few tries at a time, as those of all others, of the same account
 * too, would wait for their connections. So have receivers of an account that nothing is known of: it may have one for each webhook.
 */
export class SlowReceivers {
  /** By account. */
  readonly #underway = new Tally()
  /** Those of them to receivers that were not known. */
  readonly #unknown = new Tally()
  /** Since when there are such, by account. */
  readonly #unknownSince = new Map<string, number>()
  /** Whether the last try of a receiver took long; the one that was made last is the last. */
  readonly #isSlow = new Map<string, boolean>()
  #all = 0

  /** Whether one more try has to wait. */
  isFull(job: EndedJob): boolean {
    if (this.#all < MANY) return false
    const isSlow = this.#isSlow.get(nameOf(job))
    if (isSlow === false) return false
    const counts = isSlow ? this.#underway : this.#unknown
    return counts.of(job.account) >= MOST_EACH
  }

  /** Whether one that has to wait may go soon: its receiver is not known, and those of its account that are not have not been slow by now. */
  mayGoSoon(job: EndedJob): boolean {
    if (this.#isSlow.has(nameOf(job))) return false
    return performance.now() - (this.#unknownSince.get(job.account) ?? Infinity) <= SLOW_MS
  }

  /** Makes a try. The receiver is slow from then on if it took long, until the next one that did not. */
  async during<Result>(job: EndedJob, tried: () => Promise<Result>): Promise<Result> {
    const begun = performance.now()
    const name = nameOf(job)
    const counts = this.#isSlow.has(name) ? [this.#underway] : [this.#underway, this.#unknown]
    this.#count(job, counts, 1)
    this.#noteSince(job.account, begun)
    try {
      return await tried()
    } finally {
      this.#count(job, counts, -1)
      this.#noteSince(job.account, begun)
      this.#isSlow.delete(name)
      this.#isSlow.set(name, performance.now() - begun > SLOW_MS)
      if (this.#isSlow.size > MOST_KNOWN) this.#isSlow.delete(this.#isSlow.keys().next().value!)
    }
  }

  #noteSince(account: string, now: number): void {
    if (this.#unknown.of(account) === 0) this.#unknownSince.delete(account)
    else if (!this.#unknownSince.has(account)) this.#unknownSince.set(account, now)
  }

  #count({ account }: EndedJob, all: readonly Tally[], change: 1 | -1): void {
    this.#all += change
    for (const counts of all) counts.add(account, change)
  }
}

/** One that no address can be read from is refused at once. */
function nameOf({ account, webhook = '' }: EndedJob): string {
  return `${account} ${URL.canParse(webhook) ? new URL(webhook).host : ''}`
}
