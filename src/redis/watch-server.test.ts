import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { connectPair, connectRedis } from './connect-redis.ts'

it.skipIf(!hasRedis())(
  'connections to a server that becomes a replica are opened anew, and hear their topics',
  async () => {
    const redis = await startRedis()
    const [client, subscriber] = await connectPair(redis.url)
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

/** A way to a server whose connections fall silent, as those to a machine that is gone, and whose later ones do not. */
async function openFailingOver(port: number) {
  const pairs: [Socket, Socket][] = []
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    pairs.push([client, server])
    for (const each of [client, server])
      each.on('error', () => {}).on('close', () => [client, server].map((one) => one.destroy()))
    client.pipe(server).pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `redis://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    failOver() {
      for (const [client, server] of pairs) {
        client.unpipe(server).resume()
        server.unpipe(client).resume()
      }
    },
    close: () => proxy.close(),
  }
}

afterEach(() => void vi.useRealTimers())

it.skipIf(!hasRedis())(
  'connections to a server whose machine is gone are opened anew, and hear their topics',
  async () => {
    const redis = await startRedis()
    const proxy = await openFailingOver(Number(new URL(redis.url).port))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const [client, subscriber] = await connectPair(proxy.url)
    const duplicate = client.duplicate().on('error', () => {})
    await duplicate.connect()
    const heard: string[] = []
    await subscriber.subscribe('topic', (text) => heard.push(text))
    proxy.failOver()
    const writing = client.set('key', 'lost').catch((error: unknown) => error)
    const waiting = duplicate.blPop('list', 0).catch((error: unknown) => error)
    const looks = async (count: number) => {
      for (; count > 0; count--) await vi.advanceTimersByTimeAsync(5000)
    }
    await looks(6)
    expect(client.isReady).toBe(true)
    await looks(1)
    expect([await writing, await waiting]).toEqual([expect.any(Error), expect.any(Error)])
    expect(await client.set('key', 'value')).toBe('OK')
    expect(await duplicate.rPush('list', 'entry')).toBe(1)
    await subscriber.ping()
    await client.publish('topic', 'text')
    await expect.poll(() => heard).toEqual(['text'])
    for (const each of [client, subscriber, duplicate]) each.destroy()
    proxy.close()
    await redis.stop()
  },
  40_000,
)
