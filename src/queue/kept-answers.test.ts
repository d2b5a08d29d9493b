import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { WorkerCrashedError } from '../errors/index.ts'
import { BODY } from '../http/test-support/requests.ts'
import { connectRedis } from '../redis/connect-redis.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker } from './index.ts'
import { loadBullmq } from './load-bullmq.ts'
import { openCuttingProxy } from './test-support/cutting-proxy.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'

const ACTIVE = 'tessera-queue:decide-decide-latest:active'

describe.skipIf(!hasRedis())('what a worker has answered', () => {
  let redis: TestRedis
  let proxy: Awaited<ReturnType<typeof openCuttingProxy>>
  let fake: FakeEngine
  let worker: RunningWorker
  let engine: QueueEngine
  beforeEach(async () => {
    redis = await startRedis()
    proxy = await openCuttingProxy(redis.port)
    fake = createFakeEngine()
    worker = await runWorker(fake.engine, { connection: proxy.url, plaintext: true, leaseMs: 1500, onFault() {} })
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
  })
  afterEach(async () => {
    await engine.dispose()
    await worker.close(0)
    proxy.close()
    await redis.stop()
  })

  it('reaches its front once the server has room for it, and is not computed again', async () => {
    const admin = await connectRedis(redis.url)
    fake.hold()
    const call = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '1000'])
    fake.release()
    await sleep(1000)
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
    admin.destroy()
    expect(await call).toMatchObject({ model: 'fake' })
    // Longer than the lease, after which another try would begin.
    await sleep(2500)
    expect(fake.calls).toHaveLength(1)
  })

  it('reaches its front where the connection broke as it was written, and is not computed again', async () => {
    proxy.cutAfter('tessera-queue:outcome:')
    expect(await engine.decide(BODY)).toMatchObject({ model: 'fake' })
    await sleep(2500)
    expect(fake.calls).toHaveLength(1)
  })

  it('is not kept where it was cancelled while the server had no room for it', async () => {
    const admin = await connectRedis(redis.url)
    fake.hold()
    const cancelling = new AbortController()
    const call = engine.decide(BODY, { signal: cancelling.signal })
    await expect.poll(() => fake.running).toBe(1)
    await admin.configSet('maxmemory', '1000')
    fake.release()
    await expect.poll(() => fake.running).toBe(0)
    await sleep(500)
    cancelling.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await sleep(500)
    await admin.configSet('maxmemory', '0')
    await expect.poll(() => admin.lLen(ACTIVE)).toBe(0)
    expect(await admin.keys('tessera-queue:outcome:*')).toEqual([])
    admin.destroy()
  })

  it('is not kept where another worker has answered before', async () => {
    const admin = await connectRedis(redis.url)
    const { Queue } = await loadBullmq()
    const queue = new Queue('decide-decide-latest', { connection: admin, prefix: 'tessera-queue' })
    fake.hold()
    await queue.add(
      'decide',
      { front: 'gone', sealed: JSON.stringify({ request: BODY, options: {} }) },
      { jobId: 'one' },
    )
    await expect.poll(() => fake.running).toBe(1)
    await admin.hSet('tessera-queue:decide-decide-latest:one', 'answered', '1')
    fake.release()
    await expect.poll(() => admin.lLen(ACTIVE)).toBe(0)
    expect(await admin.keys('tessera-queue:outcome:*')).toEqual([])
    await queue.close()
    admin.destroy()
  })

  it.each(['SET', 'DEL'])(
    'reaches its front where the connection broke at the %s of the mark of a second try',
    async (command) => {
      fake.failure = new WorkerCrashedError('the process of the model has ended')
      proxy.cutAfter(`${command}\r\n$56\r\ntessera-queue:alone:`)
      const call = engine.decide(BODY)
      await expect.poll(() => fake.running + fake.calls.length).toBe(1)
      fake.failure = undefined
      expect(await call).toMatchObject({ model: 'fake' })
      expect(fake.calls).toHaveLength(2)
      expect(proxy.hasCut).toBe(true)
    },
  )
})
