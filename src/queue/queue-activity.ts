import type { QueueActivity } from '../engine/activity.ts'
import type { RedisClient } from '../redis/connect-redis.ts'
import { PREFIX, QUEUES, type QueueName } from './queue-names.ts'
import type { WorkerReport } from './worker-reports.ts'

/** What waits in each queue, by the clock of this machine. */
export function readQueues(client: RedisClient, reports: readonly WorkerReport[]): Promise<QueueActivity[]> {
  return Promise.all(QUEUES.map((name) => readQueue(client, name, reports)))
}

async function readQueue(
  client: RedisClient,
  name: QueueName,
  reports: readonly WorkerReport[],
): Promise<QueueActivity> {
  const waitingKey = `${PREFIX}:${name}:prioritized`
  const [waiting, [next]] = await Promise.all([client.zCard(waitingKey), client.zRange(waitingKey, 0, 0)])
  // One that was taken meanwhile has begun.
  const since = next === undefined ? null : await client.hGet(`${PREFIX}:${name}:${next}`, 'timestamp')
  const workers = reports.filter(({ jobs }) => jobs.includes(name)).length
  return { name, waiting, waitedMs: since === null ? 0 : Math.max(0, Date.now() - Number(since)), workers }
}
