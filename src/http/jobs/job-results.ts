import { throwIfAborted } from '../../errors/aborted-by.ts'
import { BodyBudget } from '../body/body-budget.ts'
import { JsonBytes } from '../json-bytes.ts'
import { Refusal } from '../refusal.ts'
import { InTurns } from './in-turns.ts'
import type { JobStore } from './job-store.ts'
import { isOver, type Job } from './job.ts'

/** Results up to this size are not counted: a connection takes as much. */
const SMALL = 2 ** 16

/** What a server that the service is mounted in does not end when its client has gone would be counted for good. */
const MOST_HELD_MS = 600_000

/** A job with its result, where it has one. */
export interface WholeJob<View extends Job = Job> {
  readonly job: View
  /** To be called when the client has the result, or has gone. Further calls do nothing. */
  leave(): void
}

interface WrittenList extends Pick<WholeJob, 'leave'> {
  readonly bytes: Uint8Array
}

/**
 * Results on their way to clients. Those that lie apart in a store are in memory once for each client that has not read them, so that they are
 * counted, and come one after the other for each account: a hundred at once would hold up all that others ask the store.
 */
export class JobResults {
  readonly #store: JobStore
  readonly #most: number
  readonly #room: BodyBudget
  readonly #turns = new InTurns()
  readonly #lists = new InTurns()

  /** @param most bytes of all results that are on their way */
  constructor(store: JobStore, most: number) {
    this.#store = store
    this.#most = most
    this.#room = new BodyBudget(most, 'results of jobs')
  }

  /** A job, without its result where that lies apart. */
  find(id: string): Promise<Job | undefined> {
    return this.#store.apart ? this.#store.apart.readBrief(id) : this.#store.read(id)
  }

  /** @throws OverloadedError where results that clients do not read leave no room; Refusal (404) for one that is gone; AbortedError */
  async whole<View extends Job>(job: View, signal: AbortSignal): Promise<WholeJob<View>> {
    const { apart } = this.#store
    // One that ended here just now has it, which the store may not have yet.
    const hasAll = job.bytes === 0 || job.result !== undefined
    if (apart === undefined || !isOver(job) || hasAll) return { job, leave: () => {} }
    const read = async () => {
      throwIfAborted(signal)
      const result = await apart.readResult(job.id)
      if (result === undefined) throw noJob()
      return { ...job, result: JsonBytes.ofBytes(result) }
    }
    if (job.bytes <= SMALL) return { job: await read(), leave: () => {} }
    const leave = await this.#enter(job.account, job.bytes, signal)
    try {
      return { job: await this.#turns.run(job.account, read), leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  /**
   * A list of jobs as JSON. They are written one after the other for each account, which may have thousands of jobs, and held as results are.
   *
   * @throws as `whole`
   */
  list(account: string, signal: AbortSignal, write: () => Promise<Uint8Array>): Promise<WrittenList> {
    return this.#lists.run(account, async () => {
      throwIfAborted(signal)
      const bytes = await write()
      return { bytes, leave: bytes.length <= SMALL ? () => {} : await this.#enter(account, bytes.length, signal) }
    })
  }

  /** The same of a job that is removed. @throws as `whole`; StoreUnavailableError */
  async take<View extends Job>(job: View, signal: AbortSignal): Promise<WholeJob<View>> {
    const whole = await this.whole(job, signal)
    await this.#store.remove(job.id).catch((error: unknown) => {
      whole.leave()
      throw error
    })
    return whole
  }

  async #enter(account: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    const room = this.#room.open(() => account)
    await room.admit(Math.min(bytes, this.#most), signal)
    const release = () => {
      clearTimeout(late)
      room.release()
    }
    const late = setTimeout(release, MOST_HELD_MS).unref()
    return release
  }
}

export function noJob(): Refusal {
  return new Refusal(404, 'not_found', 'there is no such job: its id is unknown, or its result is no longer kept')
}
