import { RateLimitError } from '../../errors/index.ts'
import { type Job } from '../../http/index.ts'
import { hasFreedKey } from '../../http/jobs/job.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { jobKey, jobResultKey, jobsKey } from '../queue-names.ts'
import { MEASURE_JOBS } from './job-scripts.ts'

/** Jobs of one account that are not removed yet. */
const MOST_JOBS = 10_000

/** What of a server's memory the results of one account may take, so that others come in, and calls. */
const SHARE_EACH = 0.5
/** The same of a server that says of no maximum. */
const MOST_BYTES = 2 ** 30

/** All that an account has is looked at for it, which holds the server up: not with each of its jobs. */
const FRESH_MS = 1000

interface Taken {
  readonly jobs: number
  /** Of results, sealed as they are. */
  readonly bytes: number
  /** Milliseconds until the first result is removed; negative where there is none, or room. */
  readonly freeInMs: number
}

/** Whether an account may have more jobs on a server. What runs when its part is full is kept all the same. */
export class JobRoom {
  readonly #client: RedisClient
  readonly #known = new Map<string, Promise<Taken>>()
  #mostBytes: Promise<number> | undefined

  constructor(client: RedisClient) {
    this.#client = client
  }

  /**
   * @param find what there is of the job
   * @throws RateLimitError saying when there will be room, where that is known
   */
  async require({ account, digest }: Job, find: () => Promise<Job | undefined>): Promise<void> {
    try {
      await this.#requireOf(account)
    } catch (full) {
      // Whoever sends a request again, as where the answer was lost, takes no more, and is told of the job that is there.
      const there = digest === undefined ? undefined : await find()
      if (there === undefined || hasFreedKey(there)) throw full
    }
  }

  async #requireOf(account: string): Promise<void> {
    this.#mostBytes ??= this.#readMostBytes()
    const [count, mostBytes] = await Promise.all([this.#client.zCard(jobsKey(account)), this.#mostBytes])
    const known = this.#measure(account, mostBytes)
    let taken = await known
    if (count >= MOST_JOBS && taken.jobs < MOST_JOBS) {
      // Others that waited for the same may have looked again already.
      if (this.#known.get(account) === known) this.#known.delete(account)
      taken = await this.#measure(account, mostBytes)
    }
    const until = taken.freeInMs < 0 ? {} : { retryAfterMs: taken.freeInMs }
    if (taken.jobs >= MOST_JOBS) {
      const message = `too many jobs for this API key: at most ${MOST_JOBS} that run or whose results are kept`
      throw new RateLimitError(message, until)
    }
    if (taken.bytes >= mostBytes) {
      const message = 'the results that are kept for this API key fill its part of the memory for results'
      throw new RateLimitError(message, until)
    }
  }

  #measure(account: string, mostBytes: number): Promise<Taken> {
    const known = this.#known.get(account)
    if (known) return known
    const measured = this.#ask(account, mostBytes)
    this.#known.set(account, measured)
    const forget = () => this.#known.get(account) === measured && this.#known.delete(account)
    setTimeout(forget, FRESH_MS).unref()
    measured.catch(forget)
    return measured
  }

  async #ask(account: string, mostBytes: number): Promise<Taken> {
    const most = [MOST_JOBS, mostBytes].map(String)
    const order = { keys: [jobsKey(account)], arguments: [jobKey(''), jobResultKey(''), ...most] }
    const [jobs, bytes, freeInMs] = (await this.#client.eval(MEASURE_JOBS, order)) as [number, number, number]
    return { jobs, bytes, freeInMs }
  }

  /** Of a server that does not say how much memory it may use, it is as of one that has no maximum. */
  async #readMostBytes(): Promise<number> {
    const memory = await this.#client.info('memory').catch(() => undefined)
    // It may be away for a moment alone.
    if (memory === undefined) this.#mostBytes = undefined
    const most = Number(/^maxmemory:(\d+)\r?$/m.exec(memory ?? '')?.[1] ?? 0)
    return most > 0 ? most * SHARE_EACH : MOST_BYTES
  }
}
