import { OverloadedError, RateLimitError } from '../../errors/index.ts'
import type { JobStore } from './job-store.ts'
import { hasFreedKey, isOver, type Job, keptFor } from './job.ts'

interface Kept {
  job: Job
  /** `performance.now()` when it is removed, as clocks may be set; undefined while it is not over. */
  expires?: number
  timer?: NodeJS.Timeout
}

export interface MemoryJobLimits {
  /** Jobs of all accounts that are not removed yet. */
  readonly jobs: number
  /** The same of one account. */
  readonly jobsEach: number
  /** Bytes of all results; what runs when they are reached is kept all the same. */
  readonly bytes: number
  /** The same of one account, so that others come in. */
  readonly bytesEach: number
}

const MEGABYTE = 2 ** 20
const LIMITS: MemoryJobLimits = { jobs: 1000, jobsEach: 250, bytes: 256 * MEGABYTE, bytesEach: 192 * MEGABYTE }

/** Jobs of this process, gone with it. Full, it refuses new ones: a result that was paid for is never dropped for another. */
export class MemoryJobStore implements JobStore {
  readonly #limits: MemoryJobLimits
  readonly #all = new Map<string, Kept>()

  constructor(limits: MemoryJobLimits = LIMITS) {
    this.#limits = limits
  }

  async add(job: Job): Promise<Job | undefined> {
    const found = this.#all.get(job.id)
    if (found && !hasFreedKey(found.job)) return found.job
    this.#remove(job.id)
    this.#requireRoom(job.account)
    this.#all.set(job.id, { job })
    return undefined
  }

  async read(id: string): Promise<Job | undefined> {
    return this.#all.get(id)?.job
  }

  async write(job: Job): Promise<boolean> {
    const kept = this.#all.get(job.id)
    if (kept === undefined || isOver(kept.job)) return false
    kept.job = job
    if (!isOver(job)) return true
    const keepMs = keptFor(job)
    kept.expires = performance.now() + keepMs
    kept.timer = setTimeout(() => this.#remove(job.id), keepMs).unref()
    return true
  }

  async remove(id: string): Promise<void> {
    this.#remove(id)
  }

  /** Whoever finds it in this process is told of the refusal. */
  async withdraw({ id }: Job): Promise<boolean> {
    this.#remove(id)
    return true
  }

  async list(account: string): Promise<Job[]> {
    return this.#of(account)
      .map(({ job: { result: _result, request: _request, ...job } }) => job)
      .reverse()
  }

  async close(): Promise<void> {
    for (const id of this.#all.keys()) this.#remove(id)
  }

  #of(account: string): Kept[] {
    return [...this.#all.values()].filter(({ job }) => job.account === account)
  }

  #bytesByAccount(): Map<string, number> {
    const taken = new Map<string, number>()
    for (const { job } of this.#all.values()) taken.set(job.account, (taken.get(job.account) ?? 0) + job.bytes)
    return taken
  }

  #requireRoom(account: string): void {
    const { jobs, jobsEach, bytes, bytesEach } = this.#limits
    const own = this.#of(account)
    if (own.length >= jobsEach) {
      const message = `too many jobs for this API key: at most ${jobsEach} that run or whose results are kept`
      throw new RateLimitError(message, untilRoom(own))
    }
    const taken = this.#bytesByAccount()
    if ((taken.get(account) ?? 0) >= bytesEach) {
      const message = 'the results that are kept for this API key fill its part of the memory for results'
      throw new RateLimitError(message, untilRoom(own))
    }
    // What an account has beyond its part, as it ran already, is not for others to wait for.
    const counted = [...taken.values()].reduce((sum, own) => sum + Math.min(own, bytesEach), 0)
    if (this.#all.size >= jobs || counted >= bytes) {
      const all = [...this.#all.values()]
      throw new OverloadedError('the service keeps as many jobs as it can; retry later', untilRoom(all))
    }
  }

  #remove(id: string): void {
    const kept = this.#all.get(id)
    if (kept === undefined) return
    clearTimeout(kept.timer)
    this.#all.delete(id)
  }
}

/** The time until the first of them is removed; unknown where none is over. */
function untilRoom(kept: readonly Kept[]): { retryAfterMs?: number } {
  const first = Math.min(...kept.map(({ expires }) => expires ?? Number.POSITIVE_INFINITY))
  return Number.isFinite(first) ? { retryAfterMs: Math.max(0, first - performance.now()) } : {}
}
