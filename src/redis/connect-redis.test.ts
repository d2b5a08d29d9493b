import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { freePort } from '../../test/helpers/free-port.ts'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { connectPair, connectRedis } from './connect-redis.ts'

afterEach(() => vi.unstubAllEnvs())

it.skipIf(!hasRedis())('what was made of a connection ends with it, also while the server is away', async () => {
  const redis = await startRedis()
  const client = await connectRedis(redis.url)
  const duplicate = client.duplicate().on('error', () => {})
  await duplicate.connect()
  await redis.stop()
  client.destroy()
  // Reconnecting for ever would keep a process alive that was told to end.
  await expect.poll(() => duplicate.isOpen, { timeout: 10_000 }).toBe(false)
})

it.skipIf(!hasRedis())('a server that is frozen is not waited for, and what was opened is closed', async () => {
  const redis = await startRedis(['--maxclients', '1'])
  // The second finds no room: the first must not keep it from whoever comes then.
  for (let time = 0; time < 2; time++) {
    await expect(connectPair(redis.url)).rejects.toThrow(/^connection: .*max number of clients/)
  }
  redis.freeze()
  await expect(connectRedis(redis.url)).rejects.toThrow(/could not be reached \(.*did not answer within 5000 ms\)$/)
  redis.thaw()
  await redis.stop()
})

it.skipIf(!hasRedis())('a server in cluster mode is refused where keys of several names change together', async () => {
  const redis = await startRedis(['--cluster-enabled', 'yes'])
  const admin = await connectRedis(redis.url)
  await admin.sendCommand(['CLUSTER', 'ADDSLOTS', ...Array.from({ length: 16_384 }, (_, slot) => String(slot))])
  await expect.poll(() => admin.sendCommand(['CLUSTER', 'INFO']), { timeout: 10_000 }).toContain('cluster_state:ok')
  await expect(connectPair(redis.url)).rejects.toThrow(
    'connection: must be a Redis server outside of cluster mode, got one in it (CROSSSLOT); turn it off, or take another',
  )
  await expect.poll(async () => (await admin.clientList()).length).toBe(1)
  admin.destroy()
  await redis.stop()
})

it.skipIf(!hasRedis())('a Sentinel is refused, which takes connections and keeps nothing', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const settings = join(folder, 'sentinel.conf')
  await writeFile(settings, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`)
  const sentinel = spawn(process.env['TESSERA_TEST_REDIS'] ?? 'redis-server', [settings, '--sentinel'])
  const opening = () => connectRedis(`redis://127.0.0.1:${port}`, 'connection').catch((error: Error) => error.message)
  await expect
    .poll(opening, { timeout: 20_000 })
    .toBe(
      'connection: must be a Redis server, got a Sentinel, which keeps nothing; give a name or address that follows the primary',
    )
  const ended = once(sentinel, 'exit')
  sentinel.kill()
  await ended
})

it.skipIf(!hasRedis())('the password comes from the environment where the URL has none', async () => {
  const password = 'p@ss/%41 word'
  const redis = await startRedis(['--requirepass', password])
  const host = redis.url.slice('redis://'.length)
  const open = async (url: string) => (await connectRedis(url)).destroy()
  await expect(open(redis.url)).rejects.toThrow('(it wants a password: set TESSERA_REDIS_PASSWORD)')
  vi.stubEnv('TESSERA_REDIS_PASSWORD', password)
  await open(redis.url)
  await open(`redis://default@${host}/0`)
  vi.stubEnv('TESSERA_REDIS_PASSWORD', 'another')
  await open(`redis://:${encodeURIComponent(password)}@${host}`)
  await expect(open(redis.url)).rejects.toThrow(/^store: the Redis server could not be reached \(WRONGPASS/)
  await redis.stop()
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))

it.skipIf(!hasRedis() || !hasIpv6)('a server is reached by its IPv6 address', async () => {
  const redis = await startRedis(['--bind', '127.0.0.1', '::1'])
  const pair = await connectPair(redis.url.replace('127.0.0.1', '[::1]'))
  const duplicate = pair[0].duplicate().on('error', () => {})
  await duplicate.connect()
  expect(await duplicate.ping()).toBe('PONG')
  for (const client of pair) client.destroy()
  await redis.stop()
})

it.skipIf(!hasRedis())('queues of many models listen to one connection without a warning of a leak', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  const redis = await startRedis()
  const client = await connectRedis(redis.url)
  const duplicates = Array.from({ length: 12 }, () => client.duplicate().on('error', () => {}))
  for (const duplicate of duplicates) await duplicate.connect()
  // Warnings come in the next tick.
  await new Promise((resolve) => setImmediate(resolve))
  client.destroy()
  expect(duplicates.map(({ isOpen }) => isOpen)).toEqual(duplicates.map(() => false))
  process.off('warning', warn)
  expect(warnings).toEqual([])
  await redis.stop()
})

it.skipIf(!hasRedis())(
  'a server that takes no connection any more is told of once, with the reason',
  async () => {
    const warnings: string[] = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on('warning', warn)
    const redis = await startRedis()
    const [client, subscriber] = await connectPair(redis.url)
    await redis.kill()
    await expect.poll(() => warnings.length).toBe(1)
    // The password was changed meanwhile.
    await redis.restart(['--requirepass', 'another'])
    await expect.poll(() => warnings.length).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    process.off('warning', warn)
    client.destroy()
    subscriber.destroy()
    await redis.stop()
    expect(warnings).toEqual([
      'connection: the Redis server cannot be reached (ECONNREFUSED); it is asked again until it can be',
      expect.stringMatching(
        /^connection: the Redis server cannot be reached \((NOAUTH|WRONGPASS) .*\); it is asked again until it can be$/,
      ),
    ])
  },
  90_000,
)
