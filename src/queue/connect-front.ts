import type { Queue } from 'bullmq'
import { connectRedis, type RedisClient } from '../redis/connect-redis.ts'
import { loadBullmq } from './load-bullmq.ts'
import { PREFIX, type QueueName } from './queue-names.ts'
import type { QueuedData } from './queued-call.ts'

/** What a front talks to the server through. */
export interface Connected {
  readonly client: RedisClient
  /** A connection that hears topics can do nothing else. */
  readonly subscriber: RedisClient
  readonly queues: Readonly<Record<QueueName, Queue<QueuedData>>>
}

/** @throws InvalidRequestError where a package is missing or the server does not answer */
export async function connectFront(url: string): Promise<Connected> {
  const { Queue } = await loadBullmq()
  const client = await connectRedis(url, 'connection')
  const subscriber = await connectRedis(url, 'connection')
  const open = (name: QueueName) => {
    const queue = new Queue<QueuedData>(name, {
      connection: client,
      prefix: PREFIX,
      // Nobody here reads them.
      streams: { events: { maxLen: 100 } },
    })
    // A command that fails throws it as well.
    queue.on('error', () => {})
    return queue
  }
  return { client, subscriber, queues: { decide: open('decide'), images: open('images') } }
}
