import type { Queue } from 'bullmq'
import { answerInTime } from '../../redis/answer-in-time.ts'
import { connectPair, type RedisClient } from '../../redis/connect-redis.ts'
import { loadBullmq } from '../load-bullmq.ts'
import { PREFIX, type ModelQueue } from '../queue-names.ts'
import type { QueuedData } from '../queued-call.ts'

/** What the server says of the next queue as well: its user may not, or it is too old. */
const LASTING = /^NOPERM |^Redis version /
/** What the server says of them may have changed by then. */
const LASTING_MS = 60_000

/** What a front talks to the server through. */
export interface Connected {
  readonly client: RedisClient
  /** A connection that hears topics can do nothing else. */
  readonly subscriber: RedisClient
  /** Opens a queue, or gives the one that is open. */
  readonly queue: (name: ModelQueue) => Queue<QueuedData>
  readonly close: () => Promise<void>
}

/** @throws InvalidRequestError where a package is missing or the server does not answer */
export async function connectFront(url: string): Promise<Connected> {
  const { createNodeRedisClient, Queue } = await loadBullmq()
  const [client, subscriber] = await connectPair(url)
  // Of a client alone BullMQ makes one for each queue, which listens to the client for as long as that lives.
  const connection = createNodeRedisClient(client)
  // Without a listener an error ends the process, as before the first queue is open.
  connection.on('error', () => {})
  const queues = new Map<ModelQueue, Queue<QueuedData>>()
  const refusedAt = new WeakMap<Queue, number>()
  const forget = (name: ModelQueue, queue: Queue<QueuedData>) => {
    if (queues.get(name) === queue) queues.delete(name)
    void queue.close().catch(() => {})
  }
  const open = (name: ModelQueue) => {
    const queue = new Queue<QueuedData>(name, {
      connection,
      prefix: PREFIX,
      // Nobody here reads them.
      streams: { events: { maxLen: 100 } },
    })
    // A command that fails throws it as well.
    queue.on('error', () => {})
    queues.set(name, queue)
    // One whose opening failed, as where the connection broke in that moment, fails for ever: the next call opens another.
    queue.waitUntilReady().catch((error: unknown) => {
      if (error instanceof Error && LASTING.test(error.message)) refusedAt.set(queue, performance.now())
      else forget(name, queue)
    })
    return queue
  }
  const find = (name: ModelQueue) => {
    const queue = queues.get(name)
    if (queue === undefined || performance.now() - (refusedAt.get(queue) ?? Infinity) < LASTING_MS) return queue
    return void forget(name, queue)
  }
  return {
    client,
    subscriber,
    queue: (name) => find(name) ?? open(name),
    async close() {
      await answerInTime(Promise.allSettled([...queues.values()].map((queue) => queue.close()))).catch(() => {})
      for (const each of [client, subscriber]) each.destroy()
    },
  }
}
