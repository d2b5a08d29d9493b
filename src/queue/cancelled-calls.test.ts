import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { connectRedis, type RedisClient } from '../redis/connect-redis.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker } from './index.ts'
import { loadBullmq } from './load-bullmq.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'

describe.skipIf(!hasRedis() || process.platform === 'win32')('a call that is cancelled', () => {
  let redis: TestRedis
  let client: RedisClient
  let engine: QueueEngine
  let fake: FakeEngine
  let worker: RunningWorker
  beforeEach(async () => {
    redis = await startRedis()
    client = await connectRedis(redis.url)
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
    fake = createFakeEngine()
    fake.hold()
    // It takes no call back while it works on one.
    worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, leaseMs: 1000, concurrency: 1 })
  })
  afterEach(async () => {
    fake.release()
    await engine.dispose()
    await worker.close(0)
    client.destroy()
    await redis.stop()
  })

  const waiting = () => client.zCard('tessera-queue:decide-decide-latest:prioritized')

  it.each([
    [
      'lost its lease',
      async () => {
        redis.freeze()
        await sleep(2500)
        redis.thaw()
        // It waits again by then.
        await expect.poll(() => client.lLen('tessera-queue:decide-decide-latest:active')).toBe(0)
      },
    ],
    ['was forgotten by the server', () => client.flushAll()],
  ])('stops in its worker when it %s before', async (_, lose) => {
    const cancelling = new AbortController()
    const call = engine.decide(BODY, { signal: cancelling.signal })
    await expect.poll(() => fake.running).toBe(1)
    await lose()
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => fake.running, { timeout: 5000 }).toBe(0)
    expect(await client.keys('tessera-queue:outcome:*')).toEqual([])
  })

  it('stops in its worker, too, when the server has forgotten it too often', async () => {
    const ended = Promise.allSettled([engine.decide(BODY)])
    await expect.poll(() => fake.running).toBe(1)
    for (let times = 0; times < 2; times++) {
      await client.flushAll()
      await expect.poll(waiting, { timeout: 15_000 }).toBe(1)
    }
    await client.flushAll()
    expect(await ended).toMatchObject([{ reason: { code: 'worker_crashed' } }])
    await expect.poll(() => fake.running, { timeout: 5000 }).toBe(0)
  })

  it('stops, or leaves the queue, while the memory of the server is full', async () => {
    const cancelling = new AbortController()
    const calls = [1, 2].map(() => engine.decide(BODY, { signal: cancelling.signal }))
    const ended = Promise.allSettled(calls)
    await expect.poll(() => fake.running).toBe(1)
    await expect.poll(waiting).toBe(1)
    await client.configSet('maxmemory', '1000')
    cancelling.abort()
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect.poll(async () => [fake.running, await waiting()], { timeout: 5000 }).toEqual([0, 0])
    await client.configSet('maxmemory', '0')
    expect(fake.calls).toHaveLength(1)
  })

  it('is not computed by whoever takes it long after its worker died', async () => {
    const first = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    const { Worker } = await loadBullmq()
    const options = { connection: client, prefix: 'tessera-queue', lockDuration: 60_000 }
    const taken: string[] = []
    const dying = new Worker('decide-decide-latest', ({ id }) => new Promise(() => taken.push(id!)), options)
    dying.on('error', () => {})
    const cancelling = new AbortController()
    const call = engine.decide(BODY, { signal: cancelling.signal })
    await expect.poll(() => taken).toHaveLength(1)
    await dying.close(true)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    const marks = () => client.keys('tessera-queue:cancelled:*')
    await expect.poll(marks).toHaveLength(1)
    await sleep(500)
    // As after a minute.
    await client.del([...(await marks()), `tessera-queue:decide-decide-latest:${taken[0]}:lock`])
    fake.release()
    await first
    await expect.poll(() => client.lLen('tessera-queue:decide-decide-latest:active')).toBe(0)
    await expect.poll(waiting).toBe(0)
    expect(fake.calls).toHaveLength(1)
  })
})
