import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './options/resolve-options.ts'
import { runFake, startFakeEngine } from './test-support/engines.ts'

let engine: Engine
const start = async (options: EngineOptions) => (engine = await startFakeEngine(options))
afterEach(() => engine.dispose())
const openOf = (id: string) => engine.activity().models.find((model) => model.id === id)?.open

describe.each([{ worker: false }, { worker: true, workers: 2 }])('with $worker workers', (options) => {
  const { workers = 1 } = options

  it('models are open in each before the first call, and stay open', async () => {
    await start({ ...options, keepAlive: 0, memoryBudget: 0, preload: ['decide-latest'] })
    expect(engine.activity()).toMatchObject({
      running: 0,
      models: [{ id: 'fake', open: workers, opened: workers }],
      missing: [],
    })
    await runFake(engine, {})
    await engine.load('other')
    await vi.waitUntil(() => openOf('other') === 0, { timeout: 60_000 })
    expect(engine.activity().models).toMatchObject([
      { id: 'fake', open: workers, opened: workers },
      { id: 'other', opened: workers },
    ])
  })

  it('a model can be opened ahead of its first call, and told to stop', async () => {
    await start({ ...options, keepAlive: Number.POSITIVE_INFINITY })
    await engine.load('decide-latest')
    expect(openOf('fake')).toBe(workers)
    const signal = AbortSignal.timeout(20)
    const late = engine.load('opens-late', { signal })
    // Each worker looks for itself whether there is memory, so that the next one begins when the model is open.
    const { running, waiting } = engine.activity()
    expect(running + waiting).toBe(1)
    await expect(late).rejects.toMatchObject({ code: 'aborted' })
    // The fake one goes on to open until it is let go.
    await Promise.all([1, 2].map(() => runFake(engine, { release: true, steps: 2, burn: 20 })))
    await expect(engine.load('missing')).rejects.toMatchObject({ code: 'model_not_found' })
    // One that does no job at all is opened all the same.
    await engine.load('no-jobs')
    expect(openOf('no-jobs')).toBe(workers)
  })
})

it('what is wrong with a model ends the start, and leaves nothing behind', async () => {
  await start({})
  await expect(startFakeEngine({ preload: ['decide-latest', 'missing'] })).rejects.toMatchObject({
    code: 'model_not_found',
  })
  await expect(startFakeEngine({ worker: false, preload: ['breaks'] })).rejects.toThrow()
  for (const preload of ['decide-latest', [''], [7]]) {
    await expect(startFakeEngine({ preload: preload as never })).rejects.toMatchObject({ code: 'invalid_request' })
  }
})

it('a worker that ends is followed by one that opens them by itself', async () => {
  await start({ workers: 2, preload: ['decide-latest'] })
  await expect(runFake(engine, { fail: 'exit' })).rejects.toMatchObject({ code: 'worker_crashed' })
  expect(engine.activity()).toMatchObject({ missing: ['decide-latest'], models: [{ open: 1 }] })
  await vi.waitUntil(() => engine.activity().missing.length === 0, { timeout: 60_000 })
  expect(engine.activity().models).toMatchObject([{ id: 'fake', open: 2, opened: 3 }])
})

it('a worker that ends while somebody opens a model is followed by one that opens what is kept', async () => {
  await start({ preload: ['decide-latest'] })
  const other = engine.load('opens-late')
  await expect(runFake(engine, { fail: 'exit' })).rejects.toMatchObject({ code: 'worker_crashed' })
  await expect(other).rejects.toMatchObject({ code: 'worker_crashed' })
  await vi.waitUntil(() => engine.activity().missing.length === 0, { timeout: 60_000 })
})
