import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { EngineDisposedError } from '../../errors/index.ts'
import { connectRedis, type RedisClient } from '../../redis/connect-redis.ts'
import { createQueueEngine, openJobStore, runWorker } from '../index.ts'
import { openCuttingProxy } from '../test-support/cutting-proxy.ts'
import { createFakeEngine } from '../test-support/fake-engine.ts'

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } } as const
const BODY = { state: 'x', questions: QUESTIONS }

describe.skipIf(!hasRedis())('a front', () => {
  let redis: TestRedis
  let client: RedisClient
  beforeAll(async () => {
    redis = await startRedis()
    client = await connectRedis(redis.url)
  })
  afterAll(async () => {
    client.destroy()
    await redis.stop()
  })
  const waiting = () => client.zCard('tessera-queue:decide-decide-latest:prioritized')

  it('that is disposed connects no more, also with thousands of calls that wait', async () => {
    const count = async () => (await client.clientList()).length
    const before = await count()
    const engine = createQueueEngine({ connection: redis.url, plaintext: true, maxWaiting: 10_000 })
    const calls = Array.from({ length: 2000 }, () => engine.decide({ state: 'late', questions: QUESTIONS }))
    const ended = Promise.allSettled(calls)
    await expect.poll(count, { timeout: 20_000 }).toBeGreaterThan(before)
    // Until it looks after them.
    await sleep(2500)
    await engine.dispose()
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
    await expect(engine.models()).rejects.toThrow(EngineDisposedError)
    await sleep(1500)
    expect(await count()).toBe(before)
  }, 60_000)

  it('and a store of jobs keep no connections to a server that lets them hear no topics', async () => {
    await client.sendCommand(['ACL', 'SETUSER', 'deaf', 'on', '>secret', '~*', '+@all', 'resetchannels'])
    const connection = redis.url.replace('//', '//deaf:secret@')
    const deaf = async () => (await client.clientList()).filter(({ user }) => user === 'deaf').length
    const engine = createQueueEngine({ connection, plaintext: true })
    for (let time = 0; time < 3; time++) {
      await expect(engine.models()).rejects.toMatchObject({ code: 'overloaded' })
    }
    await expect(openJobStore({ connection, plaintext: true })).rejects.toThrow(
      /^connection: .*tessera-queue:job-cancel \(NOPERM .*\); its user must be allowed the channels tessera-queue:\*$/,
    )
    await expect.poll(deaf).toBe(0)
    await engine.dispose()
  })

  it('reaches a queue again whose opening broke off with the connection', async () => {
    const worker = await runWorker(createFakeEngine().engine, { connection: redis.url, plaintext: true })
    const proxy = await openCuttingProxy(redis.port)
    const engine = createQueueEngine({ connection: proxy.url, plaintext: true })
    try {
      await engine.models()
      // What BullMQ asks once for each queue.
      proxy.cutAfter('\r\nINFO\r\n')
      await expect(engine.decide(BODY)).rejects.toMatchObject({ code: 'overloaded' })
      await expect(engine.decide(BODY)).resolves.toMatchObject({ model: 'fake' })
    } finally {
      await Promise.all([engine.dispose(), worker.close(0)])
      proxy.close()
    }
  }, 30_000)

  it('reaches a queue that it was not let open, a minute after it may', async () => {
    const worker = await runWorker(createFakeEngine().engine, { connection: redis.url, plaintext: true })
    await client.sendCommand(['ACL', 'SETUSER', 'bound', 'on', '>secret', '~*', '&*', '+@all', '-info'])
    const engine = createQueueEngine({ connection: redis.url.replace('//', '//bound:secret@'), plaintext: true })
    const refused = { code: 'overloaded', cause: { message: expect.stringMatching(/^NOPERM /) } }
    await expect(engine.decide(BODY)).rejects.toMatchObject(refused)
    await client.sendCommand(['ACL', 'SETUSER', 'bound', '+info'])
    // Not each call asks again.
    await expect(engine.decide(BODY)).rejects.toMatchObject(refused)
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
    await expect(engine.decide(BODY)).resolves.toMatchObject({ model: 'fake' })
    clock.mockRestore()
    await Promise.all([engine.dispose(), worker.close(0)])
  }, 30_000)

  it.each([undefined, 'half'] as const)(
    'serves a client in its turn that gave up calls before, with priority %s',
    async (priority) => {
      await client.flushAll()
      const engine = createQueueEngine({ connection: redis.url, plaintext: true })
      const options = { client: 'A', ...(priority && { priority }) }
      for (let time = 0; time < 5; time++) {
        const controller = new AbortController()
        const call = engine.decide(BODY, { ...options, signal: controller.signal })
        await expect.poll(waiting).toBe(1)
        controller.abort()
        await expect(call).rejects.toMatchObject({ code: 'aborted' })
        await expect.poll(waiting).toBe(0)
      }
      const calls = ['B', 'B', 'B', 'B', 'B', 'B'].map((state) => engine.decide({ ...BODY, state }, { client: 'B' }))
      await expect.poll(waiting).toBe(6)
      calls.push(engine.decide({ ...BODY, state: 'A' }, options))
      await expect.poll(waiting).toBe(7)
      const fake = createFakeEngine()
      const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, concurrency: 1 })
      await Promise.all(calls)
      const states = fake.calls.map(({ request }) => (request as { state: string }).state)
      expect(states.indexOf('A')).toBeLessThan(priority === 'half' ? 3 : 2)
      await Promise.all([engine.dispose(), worker.close(0)])
    },
    30_000,
  )

  it('takes up to twice as many calls as may wait, from clients that have none there', async () => {
    await client.flushAll()
    const engine = createQueueEngine({ connection: redis.url, plaintext: true, maxWaiting: 2 })
    const ask = (caller: string) => engine.decide(BODY, { client: caller, whenBusy: 'refuse' })
    const calls: Promise<unknown>[] = []
    for (const caller of ['A', 'A', 'B', 'C']) {
      calls.push(ask(caller))
      await expect.poll(waiting).toBe(calls.length)
      // Who has one there is refused from the third call on, whosever the others are.
      if (calls.length > 1) await expect(ask(caller)).rejects.toMatchObject({ code: 'overloaded' })
    }
    await expect(ask('D')).rejects.toMatchObject({ code: 'overloaded' })
    const worker = await runWorker(createFakeEngine().engine, { connection: redis.url, plaintext: true })
    expect(await Promise.all(calls)).toHaveLength(4)
    await Promise.all([engine.dispose(), worker.close(0)])
  }, 30_000)

  it('puts a call that the server has forgotten before whoever comes then', async () => {
    await client.flushAll()
    // As of a fleet that has answered many.
    await client.hSet('tessera-queue:decide-decide-latest:lanes', 'served', '5000')
    const engine = createQueueEngine({ connection: redis.url, plaintext: true })
    const calls = [engine.decide({ ...BODY, state: 'A' }, { client: 'A' })]
    await expect.poll(waiting).toBe(1)
    await client.flushAll()
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
    for (const state of ['B', 'B', 'B', 'B']) calls.push(engine.decide({ ...BODY, state }, { client: 'B' }))
    await expect.poll(waiting).toBe(5)
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, concurrency: 1 })
    await Promise.all(calls)
    expect(fake.calls.map(({ request }) => (request as { state: string }).state).indexOf('A')).toBeLessThan(2)
    await Promise.all([engine.dispose(), worker.close(0)])
  }, 30_000)

  it('takes calls in the last round that the queue has, one after another', async () => {
    await client.flushAll()
    const engine = createQueueEngine({ connection: redis.url, plaintext: true })
    // Rounds begin anew where nothing waits.
    const calls = [engine.decide(BODY, { client: 'A' })]
    await expect.poll(waiting).toBe(1)
    await client.hSet('tessera-queue:decide-decide-latest:lanes', 'served', String(2 ** 21))
    for (const state of ['first', 'second']) calls.push(engine.decide({ ...BODY, state }, { client: 'B' }))
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, concurrency: 1 })
    expect(await Promise.all(calls)).toHaveLength(3)
    const states = fake.calls.map(({ request }) => (request as { state: string }).state)
    expect(states).toEqual(['x', 'first', 'second'])
    await Promise.all([engine.dispose(), worker.close(0)])
  }, 30_000)

  it('gives the round of a call back once, also where it is cancelled on its way into the queue', async () => {
    await client.flushAll()
    const engine = createQueueEngine({ connection: redis.url, plaintext: true })
    const rounds = async () => Number(await client.hGet('tessera-queue:decide-decide-latest:lanes', 'client:A'))
    const kept = new AbortController()
    const calls = [1, 2, 3].map(() => engine.decide(BODY, { client: 'A', signal: kept.signal }))
    for (const call of calls) call.catch(() => {})
    await expect.poll(rounds).toBe(3)
    // At some moment between the round and the reply of the queue, each.
    for (let milliseconds = 0; milliseconds < 12; milliseconds++) {
      const given = engine.decide(BODY, { client: 'A', signal: AbortSignal.timeout(milliseconds) })
      await expect(given).rejects.toMatchObject({ code: 'aborted' })
    }
    await expect.poll(rounds).toBe(3)
    await sleep(300)
    expect(await rounds()).toBe(3)
    kept.abort()
    await expect.poll(rounds).toBe(0)
    await engine.dispose()
  }, 30_000)

  it('stops the work of a call whose listener throws', async () => {
    await client.flushAll()
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true })
    const engine = createQueueEngine({ connection: redis.url, plaintext: true })
    fake.hold()
    const failure = new Error('no disk')
    const onProgress = () => {
      throw failure
    }
    await expect(engine.decide(BODY, { onProgress })).rejects.toBe(failure)
    expect(fake.calls).toHaveLength(1)
    await expect.poll(() => fake.running).toBe(0)
    await Promise.all([engine.dispose(), worker.close(0)])
  })

  it.skipIf(process.platform === 'win32')(
    'lets no call into the queue that it refused',
    async () => {
      await client.flushAll()
      const engine = createQueueEngine({ connection: redis.url, plaintext: true })
      await engine.models()
      redis.freeze()
      const refused = engine.decide({ state: 'late', questions: QUESTIONS })
      await expect(refused).rejects.toThrow('the queue does not answer')
      redis.thaw()
      // Its way into the queue goes on when the server does.
      await sleep(2000)
      expect((await client.keys('tessera-queue:*')).filter((key) => key.endsWith(':prioritized'))).toEqual([])
      await engine.dispose()
    },
    30_000,
  )
})
