import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { BODY } from '../../http/test-support/requests.ts'
import { createQueueEngine, runWorker } from '../index.ts'
import { createFakeEngine } from '../test-support/fake-engine.ts'

it.skipIf(!hasRedis())(
  'a worker that may take longer than any timer waits answers what it has before it ends',
  async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const fake = createFakeEngine()
    const shared = { connection: redis.url, plaintext: true }
    const worker = await runWorker(fake.engine, shared)
    const engine = createQueueEngine(shared)
    fake.hold()
    const call = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    const closed = worker.close(Number.POSITIVE_INFINITY)
    // A timer of 1 ms, which is what Node makes of longer ones, would be over.
    await sleep(200)
    expect(fake.running).toBe(1)
    fake.release()
    expect(await call).toMatchObject({ model: 'fake' })
    await closed
    expect(fake.calls).toHaveLength(1)
    await engine.dispose()
  },
)

it('refuses a lease that no timer can wait', async () => {
  const working = runWorker(createFakeEngine().engine, {
    connection: 'redis://127.0.0.1:1',
    plaintext: true,
    leaseMs: 2 ** 31,
  })
  await expect(working).rejects.toThrow('leaseMs: must be a whole number from 1000 to 2147483647, got 2147483648')
})
