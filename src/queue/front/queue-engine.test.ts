import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { InvalidRequestError, ModelNotFoundError, OverloadedError, WorkerCrashedError } from '../../errors/index.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker, type WorkerOptions } from '../index.ts'
import { createFakeEngine, type FakeEngine } from '../test-support/fake-engine.ts'
import { keys } from '../test-support/queue-keys.ts'
import { readAll } from '../test-support/read-all.ts'

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } } as const
const BODY = { state: 'CANARY in the state', questions: QUESTIONS } as const

describe.skipIf(!hasRedis())('an engine over a queue', () => {
  let redis: TestRedis
  const open: { dispose?(): Promise<void>; close?(graceMs?: number): Promise<void> }[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await (each.dispose?.() ?? each.close?.(0))
    await redis.flush()
  })
  afterAll(() => redis.stop())

  function front(options: Partial<Parameters<typeof createQueueEngine>[0]> = {}): QueueEngine {
    const engine = createQueueEngine({ connection: redis.url, keys, ...options })
    open.push(engine)
    return engine
  }

  async function work(fake: FakeEngine, options: Partial<WorkerOptions> = {}): Promise<RunningWorker> {
    const worker = await runWorker(fake.engine, { connection: redis.url, keys, leaseMs: 1500, ...options })
    open.push(worker)
    return worker
  }

  const dump = () => readAll(redis.url)

  it('answers as the engine of a worker does, with its progress and times', async () => {
    const fake = createFakeEngine()
    await work(fake)
    const stages: string[] = []
    const models: string[] = []
    const engine = front()
    const response = await engine.decide(BODY, {
      onProgress: ({ stage }) => stages.push(stage),
      onTimings: ({ model }) => models.push(model),
    })
    expect(response).toMatchObject({ model: 'fake', answers: { urgent: { type: 'noul' } } })
    expect([stages, models]).toEqual([['reading'], ['fake']])
    expect(await engine.countTokens(BODY)).toMatchObject({ input_tokens: BODY.state.length })
    const { data } = await engine.generateImage({ prompt: 'x', size: '64x64', seed: 5 }, { steps: 3 })
    expect(data).toEqual([{ b64_json: 'AAAA' }])
    await engine.editImage({ prompt: 'x', image: Buffer.from('hello') }, { seed: 6, strength: 0.5 })
    expect(
      fake.calls.map(({ kind, request, options }) => [kind, { ...(request as object), ...options }]),
    ).toMatchObject([
      ['decide', { state: BODY.state }],
      ['countTokens', { state: BODY.state }],
      ['generateImage', { prompt: 'x', seed: 5, steps: 3 }],
      ['editImage', { image: 'aGVsbG8=', seed: 6, strength: 0.5 }],
    ])
    await expect
      .poll(() => engine.models())
      .toContainEqual({ name: 'decide-latest', id: 'fake', kind: 'decisions', available: true })
  })

  it('refuses a bad request before it is sent, and hands on typed errors of workers', async () => {
    const fake = createFakeEngine()
    await work(fake)
    const engine = front()
    await expect(engine.decide({ state: 'x', questions: {} } as never)).rejects.toSatisfy((error) =>
      InvalidRequestError.isInstance(error),
    )
    fake.failure = new ModelNotFoundError('m', ['/here'], 'pull m')
    await expect(engine.decide(BODY)).rejects.toMatchObject({ code: 'model_not_found', model: 'm', command: 'pull m' })
    expect(fake.calls).toHaveLength(1)
  })

  it('stops the work of a call that is cancelled, wherever it is', async () => {
    const fake = createFakeEngine()
    await work(fake, { concurrency: 1 })
    fake.hold()
    const engine = front()
    const running = new AbortController()
    const waiting = new AbortController()
    const first = engine.decide(BODY, { signal: running.signal })
    await expect.poll(() => fake.running).toBe(1)
    const second = engine.decide(BODY, { signal: waiting.signal })
    await sleep(100)
    waiting.abort()
    running.abort()
    await expect(first).rejects.toMatchObject({ code: 'aborted' })
    await expect(second).rejects.toMatchObject({ code: 'aborted' })
    await expect.poll(() => fake.running).toBe(0)
    fake.release()
    await engine.decide(BODY)
    expect(fake.calls).toHaveLength(2)
  })

  it('keeps nothing readable in the store, and nothing at all of what is over', async () => {
    const fake = createFakeEngine()
    await work(fake)
    fake.hold()
    const engine = front()
    const call = engine.decide(BODY)
    await expect.poll(() => fake.running).toBe(1)
    const during = await dump()
    expect(during).toContain('k1.')
    expect(during).not.toContain('CANARY')
    expect(during).not.toContain(Buffer.from('CANARY').toString('base64').slice(0, 7))
    fake.release()
    await call
    await expect.poll(async () => (await dump()).includes('k1.')).toBe(false)
    fake.failure = new WorkerCrashedError('CANARY')
    await expect(engine.decide(BODY)).rejects.toThrow()
    await expect.poll(async () => (await dump()).includes('k1.')).toBe(false)
    expect(await dump()).not.toContain('CANARY')
  })

  it('reads what older keys have sealed', async () => {
    const next = `k2:${randomBytes(32).toString('base64')}`
    const fake = createFakeEngine()
    await work(fake, { keys: `${next},${keys}` })
    await expect(front({ keys: `${keys},${next}` }).decide(BODY)).resolves.toMatchObject({ model: 'fake' })
    await expect(front({ keys: next }).decide(BODY)).resolves.toMatchObject({ model: 'fake' })
  })

  it('refuses what does not fit the queue, and says when it will', async () => {
    const fake = createFakeEngine()
    const engine = front({ maxWaiting: 2 })
    await work(fake, { concurrency: 1 })
    await engine.decide(BODY)
    fake.hold()
    const calls = [engine.decide(BODY)]
    await expect.poll(() => fake.running).toBe(1)
    calls.push(engine.decide(BODY), engine.decide(BODY))
    await expect
      .poll(() => engine.activity().queues?.slice(0, 1), { timeout: 5000 })
      .toMatchObject([{ name: 'decide', model: 'decide-latest', waiting: 2, workers: 1, waitedMs: expect.any(Number) }])
    const refused: unknown = await engine.decide(BODY, { whenBusy: 'refuse' }).catch((error: unknown) => error)
    expect(OverloadedError.isInstance(refused)).toBe(true)
    calls.push(engine.decide(BODY))
    fake.release()
    expect(await Promise.all(calls)).toHaveLength(4)
  })

  it('serves clients in turn', async () => {
    const fake = createFakeEngine()
    const engine = front()
    await work(fake, { concurrency: 1 })
    fake.hold()
    const calls = [engine.decide({ ...BODY, state: 'a0' }, { client: 'a' })]
    await expect.poll(() => fake.running).toBe(1)
    for (const state of ['a1', 'a2', 'a3', 'a4']) calls.push(engine.decide({ ...BODY, state }, { client: 'a' }))
    await sleep(200)
    calls.push(engine.decide({ ...BODY, state: 'b1' }, { client: 'b' }))
    await sleep(200)
    fake.release()
    await Promise.all(calls)
    const states = fake.calls.map(({ request }) => (request as { state: string }).state)
    expect(states.indexOf('b1')).toBeLessThanOrEqual(2)
  })

  it('serves calls at half priority in every second round, apart from the others of their client', async () => {
    const fake = createFakeEngine()
    const engine = front()
    await work(fake, { concurrency: 1 })
    fake.hold()
    const calls = [engine.decide({ ...BODY, state: 'first' })]
    await expect.poll(() => fake.running).toBe(1)
    for (const state of ['h1', 'h2', 'h3']) {
      calls.push(engine.decide({ ...BODY, state }, { client: 'a', priority: 'half' }))
    }
    await sleep(200)
    for (const state of ['a1', 'a2', 'a3', 'a4']) calls.push(engine.decide({ ...BODY, state }, { client: 'a' }))
    await sleep(200)
    fake.release()
    await Promise.all(calls)
    const kinds = fake.calls.map(({ request }) => (request as { state: string }).state.slice(0, 1)).join('')
    expect(kinds).toMatch(/^fa(?:ah|ha)(?:aah|aha|haa)/)
    expect(kinds).toHaveLength(8)
  })

  it('gives a call to another worker when its own is told to stop', async () => {
    const [first, second] = [createFakeEngine(), createFakeEngine()]
    const worker = await work(first, { concurrency: 1 })
    first.hold()
    const call = front().decide(BODY)
    await expect.poll(() => first.running).toBe(1)
    await work(second)
    await worker.close(100)
    expect(await call).toMatchObject({ model: 'fake' })
    expect([first.running, second.calls.length]).toEqual([0, 1])
  })

  it('answers what a server that is killed had accepted', async () => {
    const fake = createFakeEngine()
    await work(fake)
    const engine = front()
    await engine.decide(BODY)
    fake.hold()
    const calls = Array.from({ length: 8 }, () => engine.decide(BODY))
    await expect.poll(() => fake.running).toBe(4)
    await redis.restart()
    fake.release()
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('fulfilled'))
  }, 60_000)

  it('says that a server has gone while a call was on its way to it', async () => {
    const own = await startRedis()
    try {
      const engine = front({ connection: own.url })
      await engine.models()
      own.freeze()
      const [call] = [engine.decide(BODY).catch((error: unknown) => error), await sleep(100)]
      await own.kill()
      expect(await call).toMatchObject({ code: 'overloaded', retryable: true })
      await own.restart()
      await engine.dispose()
    } finally {
      await own.stop()
    }
  })

  it('says that a server is not there', async () => {
    const engine = front({ connection: 'redis://127.0.0.1:1' })
    await expect(engine.decide(BODY)).rejects.toMatchObject({ code: 'overloaded' })
  })
})

it('needs keys, or to be told that it needs none', () => {
  const connection = 'redis://127.0.0.1:1'
  expect(() => createQueueEngine({ connection })).toThrow(/^keys: are needed/)
  expect(() => createQueueEngine({ connection, keys: 'k1:short' })).toThrow(/^keys: must be id:base64 of 32 bytes/)
  expect(() => createQueueEngine({ connection, plaintext: true })).not.toThrow()
})
