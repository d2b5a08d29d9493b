import { expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { connectPair, connectRedis } from './connect-redis.ts'

it.skipIf(!hasRedis())(
  'connections to a server that becomes a replica are opened anew, and hear their topics',
  async () => {
    const redis = await startRedis()
    const [client, subscriber] = await connectPair(redis.url, 'connection')
    const duplicate = client.duplicate().on('error', () => {})
    await duplicate.connect()
    const heard: string[] = []
    await subscriber.subscribe('topic', (text) => heard.push(text))
    const admin = await connectRedis(redis.url)
    const ids = () => Promise.all([client, subscriber, duplicate].map((each) => each.clientId()))
    const before = await ids()
    // Nobody is there: it has lost its place, and who took it is not known to it yet.
    await admin.sendCommand(['REPLICAOF', '127.0.0.1', '1'])
    await expect(client.set('key', 'value')).rejects.toThrow('READONLY')
    const isNew = async () => (await ids()).map((id, at) => id !== before[at])
    await expect.poll(() => isNew().catch(() => []), { timeout: 20_000 }).toEqual([true, true, true])
    const promote = () => admin.sendCommand(['REPLICAOF', 'NO', 'ONE'])
    await promote().catch(promote)
    await client.set('key', 'value')
    await client.publish('topic', 'text')
    await expect.poll(() => heard).toEqual(['text'])
    for (const each of [client, subscriber, admin]) each.destroy()
    await expect.poll(() => duplicate.isOpen).toBe(false)
    await redis.stop()
  },
  40_000,
)
