import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { BODY } from '../../http/test-support/requests.ts'
import { connectRedis, type RedisClient } from '../../redis/connect-redis.ts'
import { createQueueEngine, type QueueEngine, runWorker } from '../index.ts'
import { openKey, queueOf } from '../queue-names.ts'
import { createFakeEngine, type FakeEngine } from '../test-support/fake-engine.ts'
import { OPEN_FIRST_MS, OpenFirst } from './open-first.ts'

const QUEUE = queueOf('decide', 'decide-latest')

describe.skipIf(!hasRedis())('of the workers that serve a model', () => {
  let redis: TestRedis
  let client: RedisClient
  let engine: QueueEngine
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    redis = await startRedis()
    client = await connectRedis(redis.url)
  })
  beforeEach(() => {
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
    closing.push(() => engine.dispose())
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await client.flushAll()
  })
  afterAll(async () => {
    client.destroy()
    await redis.stop()
  })

  /** @param isOpen whether it has its model open when it begins */
  async function work(isOpen: boolean): Promise<FakeEngine> {
    const fake = createFakeEngine()
    fake.isOpen = isOpen
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, jobs: ['decide'] })
    closing.push(() => worker.close(0))
    return fake
  }

  const ask = () => engine.decide(BODY)
  const countAsked = (...fakes: FakeEngine[]) => fakes.map(({ calls }) => calls.length)

  async function time(call: () => Promise<unknown>): Promise<number> {
    const began = performance.now()
    await call()
    return performance.now() - began
  }

  it('the one that has it open takes all calls while it has a place for them', async () => {
    const [before, open, after] = [await work(false), await work(true), await work(false)]
    for (let count = 0; count < 100; count++) await ask()
    for (let count = 0; count < 10; count++) await Promise.all([ask(), ask(), ask()])
    expect(before.calls.length + open.calls.length + after.calls.length).toBe(130)
    // A machine that does nothing for 50 ms makes it look full.
    expect(open.calls.length).toBeGreaterThanOrEqual(125)
  })

  it('another takes what those that have it open have no place for', async () => {
    const [open, other] = [await work(true), await work(false)]
    open.hold()
    const held = Array.from({ length: 4 }, ask)
    await expect.poll(() => open.running).toBe(4)
    expect(await time(() => Promise.all([ask(), ask(), ask()]))).toBeLessThan(1000)
    expect(countAsked(open, other)).toEqual([4, 3])
    open.release()
    await Promise.all(held)
    await ask()
    expect(countAsked(open, other)).toEqual([5, 3])
  })

  it('another takes the calls of one that said that it has it open, and is gone', async () => {
    const gone = createFakeEngine()
    gone.isOpen = true
    const models = await gone.engine.models()
    await new OpenFirst(client, 'gone', gone.engine, [QUEUE], models).announce()
    const forgottenIn = await client.pTTL(openKey(QUEUE))
    expect([forgottenIn > 0, forgottenIn <= 10_000]).toEqual([true, true])
    const other = await work(false)
    const times: number[] = []
    for (let count = 0; count < 5; count++) times.push(await time(ask))
    expect(other.calls.length).toBe(5)
    expect(Math.min(...times)).toBeGreaterThan(OPEN_FIRST_MS - 5)
    expect(Math.max(...times)).toBeLessThan(1000)
  })

  it('any takes a call at once where none has it open, and one that was closed is forgotten', async () => {
    await work(true)
    await closing.pop()!()
    expect(await client.exists(openKey(QUEUE))).toBe(0)
    const [a, b] = [await work(false), await work(false)]
    const times: number[] = []
    for (let count = 0; count < 20; count++) times.push(await time(ask))
    expect(Math.min(...times)).toBeLessThan(OPEN_FIRST_MS)
    expect(a.calls.length + b.calls.length).toBe(20)
  })

  it('one has it open from its first answer on, and no longer when it has closed it', async () => {
    const [a, b] = [await work(false), await work(false)]
    await ask()
    const [first, second] = a.calls.length === 1 ? [a, b] : [b, a]
    first.isOpen = true
    // Its second answer, or that of the other one, which stays without.
    await expect.poll(async () => (await ask(), await client.exists(openKey(QUEUE)))).toBe(1)
    const asked = second.calls.length
    for (let count = 0; count < 20; count++) await ask()
    expect(second.calls.length).toBeLessThanOrEqual(asked + 1)
    first.isOpen = false
    await expect.poll(() => client.exists(openKey(QUEUE)), { timeout: 6000 }).toBe(0)
  }, 15_000)

  it('calls that came while no worker was there are answered by one without it', async () => {
    const calls = [ask(), ask()]
    await sleep(100)
    const other = await work(false)
    await Promise.all(calls)
    expect(other.calls.length).toBe(2)
  })
})
