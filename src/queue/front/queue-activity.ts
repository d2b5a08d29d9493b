import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import type { QueueActivity } from '../../engine/pool/activity.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { type ModelQueue, partsOf, PREFIX, queueOf } from '../queue-names.ts'
import { NOW } from '../server-time.ts'
import type { Fleet, WorkerReport } from '../worker-reports.ts'

/** Calls that name no model are there before any worker is. */
const ALWAYS = [
  queueOf('decide', DEFAULT_MODELS.decide),
  queueOf('images', DEFAULT_MODELS.generateImage),
  queueOf('images', DEFAULT_MODELS.editImage),
]

/** What waits in each queue, by the server's clock. */
export async function readQueues(client: RedisClient, { reports, known }: Fleet): Promise<QueueActivity[]> {
  const now = Number(await client.eval(`${NOW}\nreturn now`))
  const names = new Set([...ALWAYS, ...known.toSorted()])
  return Promise.all(Array.from(names, (name) => readQueue(client, name, { reports, now })))
}

async function readQueue(
  client: RedisClient,
  queue: ModelQueue,
  { reports, now }: { readonly reports: readonly WorkerReport[]; readonly now: number },
): Promise<QueueActivity> {
  const waitingKey = `${PREFIX}:${queue}:prioritized`
  const [waiting, [next]] = await Promise.all([client.zCard(waitingKey), client.zRange(waitingKey, 0, 0)])
  // One that was taken meanwhile has begun.
  const since = next === undefined ? null : await client.hGet(`${PREFIX}:${queue}:${next}`, 'timestamp')
  const workers = reports.filter(({ queues }) => queues.includes(queue)).length
  const { work: name, model } = partsOf(queue)
  return { name, model, waiting, waitedMs: since === null ? 0 : Math.max(0, now - Number(since)), workers }
}
