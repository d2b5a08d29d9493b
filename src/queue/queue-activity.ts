import { DEFAULT_MODELS } from '../engine/options/default-models.ts'
import type { QueueActivity } from '../engine/pool/activity.ts'
import type { RedisClient } from '../redis/connect-redis.ts'
import { type ModelQueue, partsOf, PREFIX, queueOf } from './queue-names.ts'
import type { Fleet, WorkerReport } from './worker-reports.ts'

/** Calls that name no model are there before any worker is. */
const ALWAYS = [
  queueOf('decide', DEFAULT_MODELS.decide),
  queueOf('images', DEFAULT_MODELS.generateImage),
  queueOf('images', DEFAULT_MODELS.editImage),
]

/** What waits in each queue, by the clock of this machine. */
export function readQueues(client: RedisClient, { reports, known }: Fleet): Promise<QueueActivity[]> {
  const names = new Set([...ALWAYS, ...known.toSorted()])
  return Promise.all(Array.from(names, (name) => readQueue(client, name, reports)))
}

async function readQueue(
  client: RedisClient,
  queue: ModelQueue,
  reports: readonly WorkerReport[],
): Promise<QueueActivity> {
  const waitingKey = `${PREFIX}:${queue}:prioritized`
  const [waiting, [next]] = await Promise.all([client.zCard(waitingKey), client.zRange(waitingKey, 0, 0)])
  // One that was taken meanwhile has begun.
  const since = next === undefined ? null : await client.hGet(`${PREFIX}:${queue}:${next}`, 'timestamp')
  const workers = reports.filter(({ queues }) => queues.includes(queue)).length
  const { work: name, model } = partsOf(queue)
  return { name, model, waiting, waitedMs: since === null ? 0 : Math.max(0, Date.now() - Number(since)), workers }
}
