import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { ModelNotFoundError } from '../errors/index.ts'
import { BODY } from '../http/test-support/requests.ts'
import { createQueueEngine, type QueueEngine, runWorker, type WorkerOptions } from './index.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'

describe.skipIf(!hasRedis())('calls of models that some workers serve', () => {
  let redis: TestRedis
  let engine: QueueEngine
  const closing: (() => Promise<void>)[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    await redis.flush()
  })
  afterAll(() => redis.stop())

  function front(): void {
    engine = createQueueEngine({ connection: redis.url, plaintext: true })
    closing.push(() => engine.dispose())
  }

  async function work(names: readonly string[], options: Partial<WorkerOptions> = {}): Promise<FakeEngine> {
    const fake = createFakeEngine(names)
    const jobs = ['decide'] as const
    const worker = await runWorker(fake.engine, { connection: redis.url, plaintext: true, jobs, ...options })
    closing.push(() => worker.close(0))
    return fake
  }

  const ask = (model?: string) => engine.decide({ ...BODY, ...(model !== undefined && { model }) })
  const askedOf = ({ calls }: FakeEngine) => calls.map(({ request }) => (request as { model?: string }).model)

  it('reach those alone, however much the others have to do', async () => {
    front()
    const [a, b] = [await work(['decide-x']), await work(['decide-y'])]
    a.hold()
    const calls = Array.from({ length: 12 }, () => ask('decide-x'))
    await expect.poll(() => a.running).toBe(4)
    await ask('decide-y')
    expect(b.running).toBe(0)
    a.release()
    await Promise.all(calls)
    expect([askedOf(a), askedOf(b)]).toEqual([Array(12).fill('decide-x'), ['decide-y']])
  })

  it('are refused at once where no worker serves the model, with what is served', async () => {
    front()
    await work(['decide-latest', 'decide-x'])
    const refusal: unknown = await ask('owner/decide-other').catch((error: unknown) => error)
    expect(ModelNotFoundError.isInstance(refusal)).toBe(true)
    expect(refusal).toMatchObject({
      code: 'model_not_found',
      model: 'owner/decide-other',
      tried: ['the workers of the queue, which serve decide-latest, decide-x'],
      command: 'npx tessera-onnx worker --queue <url> --use decide-latest=owner/decide-other',
    })
    // A worker that comes is there for the very next call.
    await work(['owner/decide-other'])
    await expect(ask('owner/decide-other')).resolves.toMatchObject({ model: 'fake' })
  })

  it('are refused where the last worker that served it has gone, and not answered by another model', async () => {
    front()
    const other = await work(['decide-latest'])
    await work(['decide-x'])
    await ask('decide-x')
    await closing.pop()!()
    await engine.models()
    await expect(ask('decide-x')).rejects.toMatchObject({ code: 'model_not_found' })
    expect(askedOf(other)).toEqual([])
  })

  it('are answered by the default model under names of compatible services', async () => {
    front()
    const fake = await work(['decide-latest'])
    await ask('jev-latest')
    await ask()
    expect(askedOf(fake)).toEqual(['jev-latest', undefined])
  })

  it('mean a model by its short name, and by a part of the name of its GGUF file, and get no other', async () => {
    front()
    const asked: unknown[] = []
    const serve = async (models: Readonly<Record<string, string>>) => {
      const served = Object.entries(models).map(([name, id]) => ({ name, id, available: true }))
      const decide = async ({ model }: { readonly model?: string }) => asked.push(`${model} of ${Object.keys(models)}`)
      const working = { ...createFakeEngine().engine, decide: decide as never, models: async () => served }
      const worker = await runWorker(working, { connection: redis.url, plaintext: true, jobs: ['decide'] })
      closing.push(() => worker.close(0))
    }
    await serve({ 'decide-latest': 'decide-mini' })
    await serve({ a: 'SupersonicLabs/Julia-1', b: 'acme/tiny:Q4_K_M' })
    for (const model of ['julia-1', 'acme/tiny:Q4_K_M', 'llama3:8b']) await ask(model)
    for (const [model, use] of [
      ['laya', 'decide-latest=laya'],
      ['acme/tiny:Q8_0', 'decide-latest=acme/tiny:Q8_0'],
    ] as const) {
      const command = `npx tessera-onnx worker --queue <url> --use ${use}`
      await expect(ask(model)).rejects.toMatchObject({ code: 'model_not_found', model, command })
    }
    expect(asked).toEqual(['julia-1 of a,b', 'acme/tiny:Q4_K_M of a,b', 'llama3:8b of decide-latest'])
  })

  it('wait for the first worker where there is none', async () => {
    front()
    const call = ask()
    await expect
      .poll(() => engine.activity().queues?.[0], { timeout: 5000 })
      .toMatchObject({ model: 'decide-latest', waiting: 1 })
    await work(['decide-latest'])
    await expect(call).resolves.toMatchObject({ model: 'fake' })
  })

  it('share the places of a worker that serves several, and take turns for them', async () => {
    front()
    const fake = await work(['decide-x', 'decide-y'], { concurrency: 1 })
    fake.hold()
    const calls = [ask('decide-x')]
    await expect.poll(() => fake.running).toBe(1)
    calls.push(...['x', 'x', 'x', 'x', 'y'].map((name) => ask(`decide-${name}`)))
    await expect
      .poll(() => engine.activity().queues?.map(({ model, waiting }) => `${model} ${waiting}`), { timeout: 5000 })
      .toEqual(expect.arrayContaining(['decide-x 4', 'decide-y 1']))
    expect(fake.running).toBe(1)
    fake.release()
    await Promise.all(calls)
    expect(askedOf(fake).indexOf('decide-y')).toBeLessThanOrEqual(2)
  })

  it('of the names that it is told to serve, a worker takes', async () => {
    front()
    const [some, all] = [
      await work(['decide-latest', 'decide-x'], { models: ['decide-x'] }),
      await work(['decide-latest']),
    ]
    await Promise.all([ask(), ask(), ask(), ask('decide-x')])
    expect([askedOf(some), askedOf(all).length]).toEqual([['decide-x'], 3])
    await expect(work(['decide-latest'], { models: ['decide-z'] })).rejects.toThrow(/^models: .*got 'decide-z'/)
    await expect(work(['decide-x'], { jobs: ['images'] })).rejects.toThrow(
      /^jobs: no model that is served does 'images'/,
    )
  })

  it('of the work that its models do, a worker takes that is told no kind of work', async () => {
    front()
    const { engine: both } = createFakeEngine()
    const decides = async () => [
      { name: 'decide-latest', id: 'decide-mini', available: true, kind: 'decisions' as const },
    ]
    const worker = await runWorker({ ...both, models: decides }, { connection: redis.url, plaintext: true })
    closing.push(() => worker.close(0))
    await expect(ask()).resolves.toMatchObject({ model: 'fake' })
    const none = runWorker({ ...both, models: async () => [] }, { connection: redis.url, plaintext: true })
    await expect(none).rejects.toThrow(/^models: the engine must have one at least/)
  })

  it('that is for another kind of work are refused as an engine does', async () => {
    front()
    await work(['decide-latest', 'alpha'], { jobs: ['decide', 'images'] })
    await expect(ask('alpha')).rejects.toMatchObject({ code: 'invalid_request', path: 'model' })
  })
})
