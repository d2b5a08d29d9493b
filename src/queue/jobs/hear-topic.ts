import { InvalidRequestError } from '../../errors/index.ts'
import { answerInTime } from '../../redis/answer-in-time.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { PREFIX } from '../queue-names.ts'

/**
 * Hears a topic from now on, for whoever is added. Where that fails the connections are closed.
 *
 * @returns adds a listener
 * @throws InvalidRequestError where the user of the connection may not hear it: nobody would notice later
 */
export async function hearTopic(
  clients: readonly [client: RedisClient, subscriber: RedisClient],
  topic: string,
): Promise<(listener: (text: string) => void) => void> {
  const listeners = new Set<(text: string) => void>()
  const hear = (text: string) => {
    for (const listener of listeners) listener(text)
  }
  await answerInTime(clients[1].subscribe(topic, hear)).catch((error: unknown) => {
    for (const each of clients) each.destroy()
    const { message } = error as Error
    const reason = `the Redis server did not let it subscribe to ${topic} (${message})`
    throw new InvalidRequestError('connection', `${reason}; its user must be allowed the channels ${PREFIX}:*`)
  })
  return (listener) => void listeners.add(listener)
}
