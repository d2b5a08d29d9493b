import type { EngineActivity, ModelInfo } from '../engine/index.ts'
import type { RedisClient } from '../redis/connect-redis.ts'
import { type QueueName, WORKERS_KEY, workerKey } from './queue-names.ts'

/** What a worker says of itself every few seconds. */
export interface WorkerReport {
  readonly id: string
  readonly jobs: readonly QueueName[]
  /** Calls of each queue that it works on at a time. */
  readonly concurrency: number
  /** Mean milliseconds of its last calls, by queue; 0 before the first. */
  readonly meanMs: Readonly<Record<QueueName, number>>
  readonly models: readonly ModelInfo[]
  readonly activity: EngineActivity
}

export const REPORT_EVERY_MS = 3000

/** One that has not reported for so long is taken for gone. */
const KEPT_MS = 10_000

export async function writeReport(client: RedisClient, report: WorkerReport): Promise<void> {
  const { id } = report
  await Promise.all([client.set(workerKey(id), JSON.stringify(report), { PX: KEPT_MS }), client.sAdd(WORKERS_KEY, id)])
}

export async function removeReport(client: RedisClient, id: string): Promise<void> {
  await Promise.all([client.del(workerKey(id)), client.sRem(WORKERS_KEY, id)])
}

/** The workers that are there now. */
export async function readReports(client: RedisClient): Promise<WorkerReport[]> {
  const ids = await client.sMembers(WORKERS_KEY)
  if (ids.length === 0) return []
  const texts = await client.mGet(ids.map(workerKey))
  const gone = ids.filter((_, index) => texts[index] === null)
  if (gone.length > 0) await client.sRem(WORKERS_KEY, gone)
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as WorkerReport]))
}
