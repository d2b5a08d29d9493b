import { afterEach, describe, expect, it } from 'vitest'
import { createBackend } from '../../backends/index.ts'
import { ModelNotFoundError } from '../../errors/index.ts'
import type { Engine } from '../engine.ts'
import { type EngineOptions, resolveOptions } from '../options/resolve-options.ts'
import { startEngine } from '../start-engine.ts'
import { QUESTIONS, runFake, startFakeEngine } from '../test-support/engines.ts'
import { createFakeSource, type FakeState } from '../test-support/fake-task.ts'
import { connectInline } from './inline-connection.ts'

const settle = (job: Promise<unknown>) => job.catch((error: unknown) => error)

// An answer is the log of its worker, so it tells where a job ran.
describe('an engine with two workers', () => {
  let engine: Engine
  const start = async (options: EngineOptions = {}) => (engine = await startFakeEngine({ workers: 2, ...options }))
  afterEach(() => engine.dispose())

  it('gives calls that come together to both', async () => {
    await start()
    const jobs = ['a', 'b'].map((name) => runFake(engine, { name, steps: 1 }))
    expect(await Promise.all(jobs)).toEqual(['a1', 'b1'])
    expect(engine.backendInfo()).toMatchObject({ workers: 2, worker: true })
  })

  it('gives calls that come one after the other to the first, which has the model open', async () => {
    await start()
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('a1 b1')
  })

  it('loses the jobs of a worker that ends, and no others', async () => {
    await start()
    const kept = runFake(engine, { name: 'a', hold: true, steps: 1 })
    await expect(runFake(engine, { fail: 'exit' })).rejects.toMatchObject({ code: 'worker_crashed' })
    const other = settle(runFake(engine, { hold: true }))
    // Both have one call now, so this goes to the first.
    await runFake(engine, { release: true })
    expect(await kept).toBe('a1')
    await engine.dispose()
    expect(await other).toMatchObject({ code: 'engine_disposed' })
  })

  it('refuses a call only when both have all they take', async () => {
    await start({ maxConcurrent: 1, maxQueue: 0 })
    const held = [1, 2].map(() => settle(runFake(engine, { hold: true })))
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'overloaded' })
    await engine.dispose()
    expect(await Promise.all(held)).toMatchObject([{ code: 'engine_disposed' }, { code: 'engine_disposed' }])
  })
})

// The first worker, of all threads, and two narrow ones.
describe('an engine with as many workers as fit', () => {
  let engine: Engine
  const start = async (options: EngineOptions = {}) =>
    (engine = await startFakeEngine({ workers: 'auto', threads: 2, memoryBudget: 4e9, ...options }))
  const run = (state: FakeState, model = 'decide-latest') =>
    engine.decide({ model, state, questions: QUESTIONS }).then((answer) => answer.model)
  afterEach(() => engine.dispose())

  it('gives a call that is alone to the first, and those beside it to the narrow ones', async () => {
    await start()
    expect(engine.backendInfo()).toMatchObject({ workers: 3, threads: 2 })
    const alone = settle(run({ name: 'a', steps: 1, hold: true }))
    expect(await Promise.all(['b', 'c'].map((name) => run({ name, steps: 1 })))).toEqual(['b1', 'c1'])
    expect(await Promise.all(['d', 'e'].map((name) => run({ name, steps: 1 })))).toEqual(['b1 d1', 'c1 e1'])
    await engine.dispose()
    expect(await alone).toMatchObject({ code: 'engine_disposed' })
  })

  it('gives all calls of a large model to the first', async () => {
    await start()
    const jobs = ['a', 'b', 'c'].map((name) => run({ name, steps: 1 }, 'large'))
    expect((await Promise.all(jobs)).at(-1)).toBe('a1 b1 c1')
  })

  it('opens a large model in the first, and a small one in all', async () => {
    await start()
    await engine.load('large')
    await engine.load('decide-latest')
    const { models } = engine.activity()
    expect(models.map(({ id, open }) => [id, open])).toEqual([
      ['large', 1],
      ['fake', 3],
    ])
  })

  it('keeps to the options that a call was made with, when it finds out first who may have the model', async () => {
    await start()
    const alone = settle(run({ hold: true }))
    const options: { signal?: AbortSignal } = {}
    const counted = engine.countTokens({ state: {}, questions: QUESTIONS }, options)
    const answered = runFake(engine, { name: 'a', steps: 1 }, options)
    const loaded = engine.load('large', options)
    options.signal = AbortSignal.abort()
    await expect(Promise.all([counted, answered, loaded])).resolves.toMatchObject([{}, 'a1', undefined])
    await engine.dispose()
    await alone
  })

  it('gives calls that the narrow ones have no room for to the first', async () => {
    await start({ maxConcurrent: 1, maxQueue: 0 })
    const held = [1, 2, 3].map(() => settle(run({ hold: true })))
    await expect(run({})).rejects.toMatchObject({ code: 'overloaded' })
    await engine.dispose()
    expect(await Promise.all(held)).toMatchObject(held.map(() => ({ code: 'engine_disposed' })))
  })

  it('gives calls of a model that was not there before to all as soon as it is', async () => {
    let isPulled = false
    const source = createFakeSource()
    const resolve: typeof source.resolve = async (...asked) => {
      if (!isPulled) throw new ModelNotFoundError('late', ['/models'], 'tessera pull late')
      return source.resolve(...asked)
    }
    const options = resolveOptions({ backend: 'cpu', workers: 'auto', threads: 2, memoryBudget: 4e9 }, {})
    const connect = connectInline(createFakeSource, createBackend)
    engine = await startEngine(options, connect, { ...source, resolve })
    const alone = settle(run({ hold: true }))
    expect(await run({ name: 'a', steps: 1 }, 'late')).toBe('a1')
    isPulled = true
    expect(await run({ name: 'b', steps: 1 }, 'late')).toBe('b1')
    await engine.dispose()
    expect(await alone).toMatchObject({ code: 'engine_disposed' })
  })

  it.each<[string, EngineOptions]>([
    ['one thread', { threads: 1 }],
    ['little memory', { memoryBudget: 1e9 }],
    ['states that are kept', { keepStates: { bytes: 1e9 } }],
    ['a process', { worker: 'process' }],
    ['no worker', { worker: false }],
  ])('is one worker with %s', async (_, options) => {
    await start(options)
    expect(engine.backendInfo().workers).toBe(1)
  })
})
