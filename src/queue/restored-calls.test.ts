import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { connectRedis, type RedisClient } from '../redis/connect-redis.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker } from './index.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'

describe.skipIf(!hasRedis())('a call that is put into the queue again', () => {
  let redis: TestRedis
  let client: RedisClient
  let engine: QueueEngine
  const workers: RunningWorker[] = []
  beforeEach(async () => {
    redis = await startRedis()
    client = await connectRedis(redis.url)
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
  })
  afterEach(async () => {
    await engine.dispose()
    for (const worker of workers.splice(0)) await worker.close(0)
    client.destroy()
    await redis.stop()
  })

  const waiting = () => client.zCard('tessera-queue:decide-decide-latest:prioritized')
  const rounds = async () => Number(await client.hGet('tessera-queue:decide-decide-latest:lanes', 'client:A'))
  const counts = () => {
    const { waiting, running } = engine.activity()
    return { waiting, running }
  }

  async function work() {
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true })
    workers.push(worker)
    return { fake, worker }
  }

  it('is there as soon as the server takes it, however often it was refused before', async () => {
    const call = engine.decide(BODY)
    await expect.poll(waiting).toBe(1)
    await client.flushAll()
    await client.configSet('maxmemory', '1000')
    // Each second it is tried.
    await sleep(5000)
    await client.configSet('maxmemory', '0')
    await expect.poll(waiting).toBe(1)
    await work()
    expect(await call).toMatchObject({ model: 'fake' })
  })

  it('counts as waiting where its worker handed it back', async () => {
    const { fake, worker } = await work()
    fake.hold()
    const call = engine.decide(BODY)
    await expect.poll(counts).toEqual({ waiting: 0, running: 1 })
    await worker.close(0)
    await expect.poll(counts, { timeout: 15_000 }).toEqual({ waiting: 1, running: 0 })
    await work()
    expect(await call).toMatchObject({ model: 'fake' })
  })

  it('counts as waiting where the server had forgotten it, and gives its round back when it is cancelled', async () => {
    const { fake, worker } = await work()
    fake.hold()
    const cancelling = new AbortController()
    const call = engine.decide(BODY, { client: 'A', signal: cancelling.signal })
    await expect.poll(counts).toEqual({ waiting: 0, running: 1 })
    // As where the machine of its worker went with the server.
    await worker.close(0)
    await client.flushAll()
    await expect.poll(waiting).toBe(1)
    await expect.poll(counts, { timeout: 15_000 }).toEqual({ waiting: 1, running: 0 })
    expect(await rounds()).toBe(1)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(rounds, { timeout: 15_000 }).toBe(0)
  })
})
