import { randomUUID } from 'node:crypto'
import type { Job } from '../../http/index.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { jobKey, jobLeaseKey, jobPartsKey, jobRequestKey, OPEN_JOBS_KEY } from '../queue-names.ts'
import { LEAVE_JOB, LEFT, RENEW_JOB, TAKE_JOB } from './job-scripts.ts'

/** How long a process has a job after it said so. */
export const LEASE_MS = 15_000
/** A job that no process has, and that is never taken over, is forgotten. */
export const OPEN_KEPT_MS = 7 * 24 * 3600 * 1000
const MOST_TAKEN_AT_ONCE = 50

/** Undefined for a job that is sealed with a key that is not known here. */
type OpenJob = (id: string, sealed: string, sealedRequest: string) => Job | undefined

/** Which process has which of the jobs that are not over. */
export class JobLeases {
  /** Name of this process. */
  readonly process = randomUUID()
  readonly #client: RedisClient
  readonly #open: OpenJob
  /** Those that are sealed with keys that are not known here. */
  readonly #unreadable = new Set<string>()
  /** Those that this process had when it last said so. */
  #renewed: readonly string[] = []
  #forget: (id: string) => void = () => {}
  #giveUp: (id: string) => void = () => {}

  constructor(client: RedisClient, open: OpenJob) {
    this.#client = client
    this.#open = open
  }

  /** Calls it with jobs of this process that the server has lost, as one does that keeps nothing on its disk and was restarted. */
  onForgotten(forget: (id: string) => void): void {
    this.#forget = forget
  }

  /** Calls it with jobs that another process took, as this one stood still, or the server was away, for longer than a lease. */
  onTaken(giveUp: (id: string) => void): void {
    this.#giveUp = giveUp
  }

  async renew(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#renew(id)))
    this.#renewed = ids
  }

  async takeOver(): Promise<Job[]> {
    // A server that has lost its place to another has nothing at first: it refuses whatever writes, and what removes nothing, too.
    const [, ids] = await Promise.all([this.#client.sRem(OPEN_JOBS_KEY, ''), this.#client.sMembers(OPEN_JOBS_KEY)])
    const open = new Set(ids)
    for (const id of this.#unreadable) if (!open.has(id)) this.#unreadable.delete(id)
    await this.#miss(this.#renewed.filter((id) => !open.has(id)))
    if (ids.length === 0) return []
    const leases = await this.#client.mGet(ids.map(jobLeaseKey))
    const isFree = (id: string, lease: unknown) => (lease === null || lease === LEFT) && !this.#unreadable.has(id)
    const free = ids.filter((id, index) => isFree(id, leases[index])).slice(0, MOST_TAKEN_AT_ONCE)
    // Those that are taken are this process's, whatever becomes of the others.
    const taken = await Promise.allSettled(free.map((id) => this.#take(id)))
    return taken.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value] : []))
  }

  async leave(id: string, isMarked = true): Promise<void> {
    const kept = isMarked ? [String(OPEN_KEPT_MS)] : []
    await this.#client.eval(LEAVE_JOB, { keys: [jobLeaseKey(id)], arguments: [this.process, ...kept] })
  }

  /** Those that are there still were ended by the process that took them. */
  async #miss(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const jobs = await this.#client.mGet(ids.map(jobKey))
    for (const [index, id] of ids.entries()) (jobs[index] === null ? this.#forget : this.#giveUp)(id)
  }

  async #renew(id: string): Promise<void> {
    const keys = [jobLeaseKey(id), OPEN_JOBS_KEY, jobKey(id), jobRequestKey(id), jobPartsKey(id)]
    const times = [LEASE_MS, OPEN_KEPT_MS].map(String)
    const isTaken = await this.#client.eval(RENEW_JOB, { keys, arguments: [id, this.process, ...times] })
    if (isTaken === 1) this.#giveUp(id)
  }

  async #take(id: string): Promise<Job | undefined> {
    const taken = await this.#client.eval(TAKE_JOB, {
      keys: [jobKey(id), OPEN_JOBS_KEY, jobLeaseKey(id), jobRequestKey(id)],
      arguments: [id, this.process, String(LEASE_MS)],
    })
    if (taken === null) return undefined
    const [sealed, request, isLeft] = taken as unknown as [string, string, number]
    const job = this.#open(id, sealed, request)
    if (job !== undefined) return isLeft ? { ...job, takenOver: 0 } : job
    // As it was before, for a process that knows its key; here it would keep others from being taken.
    this.#unreadable.add(id)
    await this.leave(id, isLeft === 1)
    return undefined
  }
}
