import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { BODY } from '../../http/test-support/requests.ts'
import { createQueueEngine, runWorker } from '../index.ts'
import { createFakeEngine } from '../test-support/fake-engine.ts'

const DAY = 86_400_000

describe.skipIf(!hasRedis())('what waits in a queue', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  it('is told of by the clock of the server, not by that of the front that sent it', async () => {
    const options = { connection: redis.url, plaintext: true }
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { ...options, concurrency: 1 })
    const engine = createQueueEngine(options)
    await engine.decide(BODY)
    fake.hold()
    const calls = [engine.decide(BODY)]
    await expect.poll(() => fake.running).toBe(1)
    const { now } = Date
    const late = vi.spyOn(Date, 'now').mockImplementation(() => now() - DAY)
    calls.push(engine.decide(BODY))
    const one = () => engine.activity().queues?.find(({ name, waiting }) => name === 'decide' && waiting === 1)
    await expect.poll(one, { timeout: 10_000 }).toBeDefined()
    late.mockRestore()
    const { waitedMs } = one()!
    await expect.poll(() => one()?.waitedMs, { timeout: 10_000 }).not.toBe(waitedMs)
    expect(one()!.waitedMs).toBeGreaterThan(0)
    expect(one()!.waitedMs).toBeLessThan(DAY / 2)
    fake.release()
    await Promise.all(calls)
    await Promise.all([engine.dispose(), worker.close(0)])
  })

  it('is not told of while the server is away, as nobody knows then', async () => {
    const away = await startRedis()
    const options = { connection: away.url, plaintext: true }
    const fake = createFakeEngine()
    fake.isOpen = true
    const worker = await runWorker(fake.engine, options)
    const engine = createQueueEngine(options)
    await engine.decide(BODY)
    const workers = () => engine.activity().queues?.find(({ name }) => name === 'decide')?.workers
    await expect.poll(workers, { timeout: 10_000 }).toBe(1)
    const loaded = () => engine.activity().models.map(({ open }) => open)
    await expect.poll(loaded, { timeout: 10_000 }).toEqual([1])
    await away.kill()
    const { now } = performance
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 11_000)
    expect(engine.activity().queues).toEqual([])
    expect(loaded()).toEqual([0])
    later.mockRestore()
    await away.restart()
    await expect.poll(workers, { timeout: 20_000 }).toBe(1)
    await Promise.all([engine.dispose(), worker.close(0)])
    await away.stop()
  }, 60_000)
})
