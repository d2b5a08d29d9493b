import { nextTask } from '../../engine/worker/next-task.ts'
import { OverloadedError } from '../../errors/index.ts'
import { type Job, type JobStore, type ResultsApart, type SharedJobs } from '../../http/index.ts'
import { hasFreedKey, keptFor } from '../../http/jobs/job.ts'
import { optionTable, readOptions } from '../../options/index.ts'
import { DEADLINE_MS } from '../../redis/answer-in-time.ts'
import { connectPair, type RedisClient } from '../../redis/connect-redis.ts'
import { tellEviction } from '../../redis/tell-outage.ts'
import { onceThere } from '../once-there.ts'
import { readRequest, writeJob, writeRequest, writeResult } from '../pack-request.ts'
import {
  jobKey,
  jobCancelTopic,
  jobLeaseKey,
  jobNewsKey,
  jobPartsKey,
  jobRequestKey,
  jobResultKey,
  jobsKey,
  jobToldKey,
  OPEN_JOBS_KEY,
  WEBHOOKS_KEY,
} from '../queue-names.ts'
import { type ConnectionOptions, openSealer, SHARED } from '../queue-options.ts'
import type { Sealer } from '../sealer.ts'
import { hearTopic } from './hear-topic.ts'
import { JobLeases, LEASE_MS, OPEN_KEPT_MS } from './job-leases.ts'
import { JobParts } from './job-parts.ts'
import { JobRoom } from './job-room.ts'
import { ADD_JOB, END_JOB, REMOVE_JOB, WITHDRAW_JOB, WRITE_JOB } from './job-scripts.ts'
import { reach, typed } from './reach-jobs.ts'
import { RedisWebhooks, WEBHOOK_KEPT_MS } from './redis-webhooks.ts'
import { withdraw, withdrawRefused } from './withdraw-refused.ts'

/** Of an account that has very many. */
const LIST_MS = 10_000
const OPENED_AT_ONCE = 200
/** A step of a large picture on a slow machine takes longer, and is news again then. */
const NEWS_KEPT_MS = 120_000

/** Longer than a process that refuses a job waits for a server that is away. */
const TOLD_KEPT_MS = 600_000

const TABLE = optionTable('a store of jobs', SHARED)

/**
 * Jobs on a Redis server, sealed: any process that shares it answers for them, and goes on with those of a process that
 * has ended.
 *
 * @example
 * ```ts
 * const store = await openJobStore({ connection: 'redis://localhost:6379' })
 * const server = createServer({ engine, jobs: { store, concurrency: 1000 } })
 * ```
 *
 * @throws InvalidRequestError for an option that is no valid value, without keys where `plaintext` is not set, or where
 *   the server does not answer, or lets nobody subscribe
 */
export async function openJobStore(options: ConnectionOptions): Promise<JobStore> {
  const { connection, ...sealing } = readOptions(TABLE, options)
  const sealer = openSealer(sealing)
  const clients = await connectPair(connection)
  const [client] = clients
  void tellEviction(client)
  const cancelTopic = jobCancelTopic(client.options.database ?? 0)
  const onCancel = await hearTopic(clients, cancelTopic)
  const store = new RedisJobStore(client, sealer, { onCancel, cancelTopic })
  return {
    shared: {
      ...store.shared,
      release: (id) => reach(store.shared.release(id)),
      cancel: (id) => reach(store.shared.cancel(id)),
      keepPart: (id, part) => reach(store.shared.keepPart(id, part)),
      readParts: (id) => typed(onceThere(() => store.shared.readParts(id), client)),
    },
    add(job) {
      const adding = store.add(job)
      return reach(adding).catch((error: unknown) => {
        void withdrawRefused(job, adding, store, client).catch(() => {})
        throw error
      })
    },
    read: (id) => reach(store.read(id)),
    apart: {
      readBrief: (id) => reach(store.apart.readBrief(id)),
      readResult: (id) => reach(store.apart.readResult(id)),
    },
    write: (job) => typed(onceThere(() => store.write(job), client)),
    remove: (id) => reach(store.remove(id)),
    withdraw: (job) => reach(withdraw(job, store, client)),
    list: (account) => reach(store.list(account), LIST_MS),
    close: async () => clients.forEach((each) => each.destroy()),
  }
}

interface Cancelling extends Pick<SharedJobs, 'onCancel'> {
  readonly cancelTopic: string
}

class RedisJobStore implements Omit<JobStore, 'close'> {
  readonly shared: SharedJobs
  readonly apart: ResultsApart
  readonly #client: RedisClient
  readonly #sealer: Sealer
  readonly #webhooks: RedisWebhooks
  readonly #leases: JobLeases
  readonly #room: JobRoom

  constructor(client: RedisClient, sealer: Sealer, { onCancel, cancelTopic }: Cancelling) {
    this.#client = client
    this.#sealer = sealer
    this.#webhooks = new RedisWebhooks(client, sealer)
    this.#room = new JobRoom(client)
    this.#leases = new JobLeases(client, (id, sealed, request) => this.#openKnown(id, sealed, request))
    this.apart = { readBrief: (id) => this.#readBrief(id), readResult: (id) => this.#readResult(id) }
    const parts = new JobParts(client, sealer, this.#leases.process)
    this.shared = {
      renew: (ids) => this.#leases.renew(ids),
      takeOver: () => this.#leases.takeOver(),
      release: (id) => this.#leases.leave(id),
      cancel: async (id) => void (await client.publish(cancelTopic, id)),
      tellNews: async (id, news) =>
        void (await client.set(jobNewsKey(id), sealer.seal(news, id), { PX: NEWS_KEPT_MS })),
      readNews: async (id) => {
        const sealed = await client.get(jobNewsKey(id))
        return sealed === null ? undefined : sealer.open(sealed, id)
      },
      keepPart: (id, part) => parts.keep(id, part),
      readParts: (id) => parts.read(id),
      webhooks: this.#webhooks,
      onCancel,
      onForgotten: (forget) => this.#leases.onForgotten(forget),
      onTaken: (giveUp) => this.#leases.onTaken(giveUp),
    }
  }

  async add(job: Job): Promise<Job | undefined> {
    const { id, account } = job
    await this.#room.require(job, () => this.#readBrief(id))
    const beside = [jobRequestKey(id), jobToldKey(id), jobLeaseKey(id)]
    const behind = [jobPartsKey(id), jobNewsKey(id), jobResultKey(id)]
    const keys = [jobKey(id), ...beside, OPEN_JOBS_KEY, jobsKey(account), ...behind]
    const times = [LEASE_MS, OPEN_KEPT_MS, TOLD_KEPT_MS, job.createdAt].map(String)
    const request = job.request === undefined ? '' : this.#sealer.seal(writeRequest(job.request), id)
    const order = [id, this.#seal(job), request, this.#leases.process, ...times]
    // Another process may have replaced it meanwhile: then that one is found.
    for (let replaced: string[] = []; ;) {
      const found = await this.#client.eval(ADD_JOB, { keys, arguments: [...order, ...replaced] })
      if (typeof found !== 'string') return undefined
      const there = this.#open(id, found)
      if (!hasFreedKey(there)) return there
      replaced = [found]
    }
  }

  async read(id: string): Promise<Job | undefined> {
    const [job, result] = await Promise.all([this.#readBrief(id), this.#readResult(id)])
    return job && result ? { ...job, result: JSON.parse(result.toString()) as unknown } : job
  }

  async #readBrief(id: string): Promise<Job | undefined> {
    const sealed = await this.#client.get(jobKey(id))
    return sealed === null ? undefined : this.#open(id, sealed)
  }

  async #readResult(id: string): Promise<Buffer | undefined> {
    const sealed = await this.#client.get(jobResultKey(id))
    return sealed === null ? undefined : Buffer.from(this.#openText(id, sealed))
  }

  async write(job: Job): Promise<boolean> {
    const { id, endedAt, result } = job
    const keys = [jobKey(id), OPEN_JOBS_KEY, jobsKey(job.account)]
    const order = (forMs: number) => [id, this.#seal(job), String(forMs), String(job.createdAt)]
    if (endedAt === undefined) {
      const open = { keys: [...keys, jobRequestKey(id)], arguments: order(OPEN_KEPT_MS) }
      return (await this.#client.eval(WRITE_JOB, open)) === 1
    }
    const sealedResult = result === undefined ? '' : this.#sealer.seal(writeResult(result), id)
    const webhook = this.#webhooks.describe(job)
    const kept = webhook ? [webhook.id, webhook.sealed, String(WEBHOOK_KEPT_MS), WEBHOOKS_KEY] : []
    const told = [...order(keptFor(job)), sealedResult, ...kept]
    const over = { keys: [...keys, jobResultKey(id), ...besideOf(id)], arguments: told }
    return (await this.#client.eval(END_JOB, over)) === 1
  }

  /** Not later than somebody waits for it: by the time that a server is back the id may be another job's. */
  async remove(id: string): Promise<void> {
    const client = this.#client.withCommandOptions({ timeout: DEADLINE_MS })
    const keys = [OPEN_JOBS_KEY, jobKey(id), jobResultKey(id), ...besideOf(id)]
    await client.eval(REMOVE_JOB, { keys, arguments: [id] })
  }

  async withdraw({ id }: Job): Promise<boolean> {
    const keys = [jobToldKey(id), jobKey(id), jobLeaseKey(id), jobNewsKey(id), jobRequestKey(id), OPEN_JOBS_KEY]
    return (await this.#client.eval(WITHDRAW_JOB, { keys, arguments: [id] })) === 1
  }

  async list(account: string): Promise<Job[]> {
    const ids = await this.#client.zRange(jobsKey(account), 0, -1, { REV: true })
    if (ids.length === 0) return []
    const texts = await this.#client.mGet(ids.map(jobKey))
    const gone = ids.filter((_, index) => texts[index] === null)
    if (gone.length > 0) await this.#client.zRem(jobsKey(account), gone)
    const jobs: Job[] = []
    for (const [index, id] of ids.entries()) {
      // Thousands of them take a while, in which all others are looked after.
      if (index % OPENED_AT_ONCE === 0) await nextTask()
      const sealed = texts[index]
      const job = typeof sealed === 'string' ? this.#openKnown(id, sealed) : undefined
      if (job) jobs.push(job)
    }
    return jobs
  }

  #seal(job: Job): string {
    return this.#sealer.seal(writeJob(job), job.id)
  }

  /** Undefined for one that is sealed with a key that is not known here. */
  #openKnown(id: string, sealed: string, sealedRequest = ''): Job | undefined {
    try {
      return this.#open(id, sealed, sealedRequest)
    } catch {
      return undefined
    }
  }

  #open(id: string, sealed: string, sealedRequest = ''): Job {
    const job = JSON.parse(this.#openText(id, sealed)) as Job
    return sealedRequest === '' ? job : { ...job, request: readRequest(this.#openText(id, sealedRequest)) }
  }

  #openText(id: string, sealed: string): string {
    try {
      return this.#sealer.open(sealed, id)
    } catch (cause) {
      throw new OverloadedError('the job cannot be opened with the keys that are known here', { cause })
    }
  }
}

/** What there is of a job beside itself, until it is over. */
function besideOf(id: string): string[] {
  return [jobLeaseKey(id), jobNewsKey(id), jobPartsKey(id), jobRequestKey(id), jobToldKey(id)]
}
