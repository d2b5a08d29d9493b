import type { EngineActivity, ModelInfo } from '../engine/index.ts'
import type { RedisClient } from '../redis/connect-redis.ts'
import { type ModelQueue, type QueueName, QUEUES_KEY, WORKERS_KEY, workerKey } from './queue-names.ts'
import { NOW } from './server-time.ts'

/** What a worker says of itself every few seconds. */
export interface WorkerReport {
  readonly id: string
  readonly jobs: readonly QueueName[]
  /** The queues that it takes calls from. */
  readonly queues: readonly ModelQueue[]
  /** Calls of each kind of work that it works on at a time. */
  readonly concurrency: number
  /** Mean milliseconds of its last calls, by queue; none before the first. */
  readonly meanMs: Readonly<Partial<Record<ModelQueue, number>>>
  readonly models: readonly ModelInfo[]
  readonly activity: EngineActivity
}

/** The workers that are there now, and the queues that some worker has taken calls from in the last day. */
export interface Fleet {
  readonly reports: readonly WorkerReport[]
  readonly known: readonly ModelQueue[]
}

export const REPORT_EVERY_MS = 3000

/** One that has not reported for so long is taken for gone. */
const KEPT_MS = 10_000

/** A name that workers served so long ago is one of theirs still, not one of a compatible service. */
const KNOWN_MS = 86_400_000

const NOTE_QUEUES = `${NOW}
for _, queue in ipairs(ARGV) do redis.call('ZADD', KEYS[1], now, queue) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ${KNOWN_MS})`

export async function writeReport(client: RedisClient, report: WorkerReport): Promise<void> {
  const { id, queues } = report
  await Promise.all([
    client.set(workerKey(id), JSON.stringify(report), { PX: KEPT_MS }),
    client.sAdd(WORKERS_KEY, id),
    client.eval(NOTE_QUEUES, { keys: [QUEUES_KEY], arguments: [...queues] }),
  ])
}

export async function removeReport(client: RedisClient, id: string): Promise<void> {
  await Promise.all([client.del(workerKey(id)), client.sRem(WORKERS_KEY, id)])
}

export async function readFleet(client: RedisClient): Promise<Fleet> {
  const [reports, known] = await Promise.all([readReports(client), client.zRange(QUEUES_KEY, 0, -1)])
  return { reports, known: known as ModelQueue[] }
}

async function readReports(client: RedisClient): Promise<WorkerReport[]> {
  const ids = await client.sMembers(WORKERS_KEY)
  if (ids.length === 0) return []
  const texts = await client.mGet(ids.map(workerKey))
  const gone = ids.filter((_, index) => texts[index] === null)
  if (gone.length > 0) await client.sRem(WORKERS_KEY, gone)
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerReport]))
}
