import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { connectRedis } from '../redis/connect-redis.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker, type WorkerOptions } from './index.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'

describe.skipIf(!hasRedis() || process.platform === 'win32')('a call that outlives its lease', () => {
  let redis: TestRedis
  let engine: QueueEngine
  const workers: RunningWorker[] = []
  beforeEach(async () => {
    redis = await startRedis()
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
  })
  afterEach(async () => {
    await engine.dispose()
    for (const worker of workers.splice(0)) await worker.close(0)
    await redis.stop()
  })

  async function work(fake: FakeEngine, options: Partial<WorkerOptions> = {}): Promise<RunningWorker> {
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, leaseMs: 1000, ...options })
    workers.push(worker)
    return worker
  }

  /** For longer than the lease, and then so long that what waits again is taken. */
  async function freeze(): Promise<void> {
    redis.freeze()
    await sleep(2500)
    redis.thaw()
    await sleep(1500)
  }

  async function held(): Promise<FakeEngine> {
    const fake = createFakeEngine()
    fake.hold()
    return fake
  }

  /** A call that the second of two workers has, too, as the first one lost its lease. */
  async function takeOver() {
    const [first, second] = [await held(), await held()]
    await work(first, { concurrency: 1 })
    const call = engine.decide(BODY)
    await expect.poll(() => first.running).toBe(1)
    await work(second)
    await freeze()
    await expect.poll(() => second.running).toBe(1)
    return { first, second, call }
  }

  it('is computed once, and holds up no other', async () => {
    const fake = await held()
    await work(fake, { concurrency: 5 })
    const calls = [engine.decide(BODY), engine.decide(BODY)]
    await expect.poll(() => fake.running).toBe(2)
    await freeze()
    const late = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(3)
    fake.release()
    expect(await Promise.all([...calls, late])).toHaveLength(3)
    // Longer than the lease, after which what was not ended would be taken once more.
    await sleep(2500)
    expect(fake.calls).toHaveLength(3)
  })

  it('stops in the worker that took it over when its own one has answered it', async () => {
    const { first, second, call } = await takeOver()
    first.release()
    expect(await call).toMatchObject({ model: 'fake' })
    await expect.poll(() => second.running).toBe(0)
    const client = await connectRedis(redis.url)
    await expect.poll(() => client.lLen('tessera-queue:decide-decide-latest:active')).toBe(0)
    client.destroy()
    expect([first.calls.length, second.calls.length]).toEqual([1, 1])
  })

  it('is not taken over when it has been answered while it waited for that', async () => {
    const fake = await held()
    await work(fake, { concurrency: 1 })
    const call = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    await freeze()
    fake.release()
    expect(await call).toMatchObject({ model: 'fake' })
    await sleep(2500)
    expect(fake.calls).toHaveLength(1)
  })

  it('is not computed again where the server had forgotten it', async () => {
    const fake = await held()
    await work(fake, { concurrency: 1 })
    const call = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    const client = await connectRedis(redis.url)
    await client.flushAll()
    const waiting = () => client.zCard('tessera-queue:decide-decide-latest:prioritized')
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
    fake.release()
    expect(await call).toMatchObject({ model: 'fake' })
    await expect.poll(waiting, { timeout: 10_000 }).toBe(0)
    await sleep(500)
    expect(fake.calls).toHaveLength(1)
    client.destroy()
  })

  it('stops in its own worker when another one has answered it', async () => {
    const { first, second, call } = await takeOver()
    second.release()
    expect(await call).toMatchObject({ model: 'fake' })
    await expect.poll(() => first.running).toBe(0)
  })

  it('stops when it is cancelled', async () => {
    const fake = await held()
    await work(fake)
    const cancelling = new AbortController()
    const call = engine.decide(BODY, { signal: cancelling.signal })
    await expect.poll(() => fake.running).toBe(1)
    await freeze()
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => fake.running).toBe(0)
  })

  it('is handed back by a worker that is told to stop', async () => {
    const [first, second] = [await held(), createFakeEngine()]
    const worker = await work(first)
    const call = engine.decide(BODY)
    await expect.poll(() => first.running).toBe(1)
    await freeze()
    await work(second)
    await worker.close(100)
    expect(await call).toMatchObject({ model: 'fake' })
    expect([first.running, first.calls.length, second.calls.length]).toEqual([0, 1, 1])
  })
})
