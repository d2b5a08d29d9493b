import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { connectRedis } from '../../redis/connect-redis.ts'
import { addKey } from '../keys/key-book.ts'
import { makeKey } from '../keys/make-key.ts'
import { StoredKeys, UnsureChangeError } from '../keys/stored-keys.ts'
import { createServer } from '../server.ts'
import { bearer, BODY, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { boundStore } from './bounded-store.ts'
import { openRedisStore } from './redis-store.ts'

describe('a Redis store that cannot be opened', () => {
  it.each([
    ['redis://user:SECRET@127.0.0.1:1', 'the Redis server could not be reached ('],
    ['redis://:SECRET@[', 'must be a URL such as'],
    ['redis://:SECRET/SECRET@127.0.0.1', 'in a password /, ?, # and % are written as %2F'],
    ['redis://:SECRET%@127.0.0.1', 'in a password /, ?, # and % are written as %2F'],
    ['SECRET', 'must be a URL such as'],
    ['http://:SECRET@127.0.0.1', 'must be a URL such as'],
  ])('%s says why, without the password', async (url, reason) => {
    const error = (await openRedisStore(url).catch((thrown: unknown) => thrown)) as Error
    expect(error.message).toMatch(/^store: /)
    expect(error.message).toContain(reason)
    expect(error.message + String(error.cause)).not.toContain('SECRET')
  })
})

describe.skipIf(!hasRedis())('a Redis server that would lose balances', () => {
  it.each([
    [['--appendonly', 'no'], 'set appendonly yes (aof_enabled is 0), or'],
    [
      ['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'],
      'set maxmemory-policy noeviction (maxmemory_policy is allkeys-lru), or',
    ],
  ])('%j is refused, unless the loss is accepted', async (settings, reason) => {
    const redis = await startRedis(settings)
    await expect(openRedisStore(redis.url)).rejects.toThrow(reason)
    await (await openRedisStore(redis.url, { acceptLoss: true })).close()
    await redis.stop()
  })

  it('or that may not be asked, is refused with what its user needs, and leaves nothing open', async () => {
    const redis = await startRedis()
    const admin = await connectRedis(redis.url)
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all', '-info'])
    const error = await openRedisStore(redis.url.replace('//', '//app:secret@')).catch((thrown: unknown) => thrown)
    expect(InvalidRequestError.isInstance(error)).toBe(true)
    expect(String(error)).toMatch(/store: the Redis server does not say how it keeps balances \(NOPERM .*\); .* INFO/)
    await expect.poll(() => admin.sendCommand<string>(['CLIENT', 'LIST'])).not.toContain('user=app')
    admin.destroy()
    await redis.stop()
  })
})

describe.skipIf(!hasRedis())('a Redis store', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  it('counts right when several connections write at once', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => openRedisStore(redis.url)))
    const count = (document: string | undefined) => String(Number(document ?? 0) + 1)
    await Promise.all(stores.flatMap((store) => Array.from({ length: 30 }, () => store.update('a', count))))
    expect(await stores[0]!.read('a')).toMatchObject({ document: '90' })
    await Promise.all(stores.map((store) => store.close()))
    await stores[0]!.close()
  })

  it('makes changes of a document that wait for each other together, and none of them twice', async () => {
    const store = await openRedisStore(redis.url)
    const client = await connectRedis(redis.url)
    await client.configResetStat()
    const count = (document: string | undefined) => String(Number(document ?? 0) + 1)
    await Promise.all(Array.from({ length: 33 }, () => store.update('busy', count)))
    // One alone, as nothing was under way, then all others.
    expect(await client.info('commandstats')).toContain('cmdstat_eval:calls=4,')
    // One that fails does not hold up the next.
    const fail = () => {
      throw new Error('refused')
    }
    const [first, failed, next] = [count, fail, count].map((change) => store.update('busy', change))
    await expect(failed).rejects.toThrow('refused')
    await Promise.all([first, next])
    expect(await store.read('busy')).toMatchObject({ document: '35' })
    client.destroy()
    await store.close()
  })

  it('counts requests of all processes against one limit', async () => {
    const stores = await Promise.all([1, 2].map(() => openRedisStore(redis.url)))
    const servers = stores.map((store) =>
      createServer({ engine: createStubEngine().engine, store, keys: ['a', 'b'], limits: { requestsPerMinute: 3 } }),
    )
    const send = (server: number, key: string) => servers[server]!.fetch(post(BODY, { headers: bearer(key) }))
    const responses = await Promise.all([0, 1, 0, 1, 0].map((server) => send(server, 'a')))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
    const refused = responses.find(({ status }) => status === 429)!
    expect(Number(refused.headers.get('retry-after-ms'))).toBeGreaterThan(0)
    expect(Number(refused.headers.get('retry-after-ms'))).toBeLessThanOrEqual(60_000)
    expect((await send(1, 'b')).status).toBe(200)
    await Promise.all(stores.map((store) => store.close()))
  })

  it('counts no tokens that are too many, not even for a moment: given back, they would be those of the next minute', async () => {
    const store = await openRedisStore(redis.url)
    const client = await connectRedis(redis.url)
    const take = (tokens: number) => store.countRequest!('reader', 1000, tokens)
    await take(400)
    await client.configResetStat()
    const counts = await Promise.all([700, 601, 100, 500, 501].map(take))
    expect(counts.map(({ isOver, remaining }) => [isOver, remaining])).toEqual([
      [true, 600],
      [true, 600],
      [false, 500],
      [false, 0],
      [true, 0],
    ])
    expect(counts.every(({ resetMs }) => resetMs > 0 && resetMs <= 60_000)).toBe(true)
    expect(await client.info('commandstats')).toContain('cmdstat_eval:calls=5,')
    client.destroy()
    await store.close()
  })

  it('forgets what is kept for a time only, and tells the time of the server', async () => {
    const store = await openRedisStore(redis.url)
    await store.update('short', () => 'x', { keepMs: 1 })
    await store.update('long', () => 'y', { keepMs: 100_000 })
    await sleep(10)
    expect((await store.read('short')).document).toBeUndefined()
    const { document, now } = await store.read('long')
    expect([document, Math.abs(now - Date.now()) < 1000]).toEqual(['y', true])
    await store.update('long', () => undefined)
    expect((await store.read('long')).document).toBeUndefined()
    await store.close()
  })

  it('writes nothing where the change throws', async () => {
    const store = await openRedisStore(redis.url)
    await expect(
      store.update('b', () => {
        throw new RangeError('no')
      }),
    ).rejects.toThrow(RangeError)
    expect((await store.read('b')).document).toBeUndefined()
    await store.close()
  })

  it.each([
    ['memory is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['writes are refused', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])('whose %s has changed no key for certain, so that it may be asked for again', async (_, spoil, mend) => {
    const store = await openRedisStore(redis.url)
    const client = await connectRedis(redis.url)
    try {
      await client.sendCommand(spoil)
      const adding = new StoredKeys(boundStore(store)).change((book) => addKey(book, makeKey(), {}))
      const refused: unknown = await adding.catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: 'store_unavailable', retryable: true })
      expect(refused).not.toBeInstanceOf(UnsureChangeError)
    } finally {
      await client.sendCommand(mend)
      client.destroy()
      await store.close()
    }
  })
})
