import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CallTimings } from '../calls/call-timings.ts'
import type { Engine } from '../engine.ts'
import type { EngineOptions } from '../options/resolve-options.ts'
import { runFake, startFakeEngine } from '../test-support/engines.ts'

/** A machine with other work takes its time. */
const until = (met: () => boolean) => vi.waitUntil(met, { timeout: 60_000 })

describe.each([{ worker: false }, { worker: true }])('an engine with worker: $worker', ({ worker }) => {
  let engine: Engine
  const start = async (options: EngineOptions = {}) => (engine = await startFakeEngine({ worker, ...options }))
  afterEach(() => engine.dispose())

  it('tells how long a call waited and how long it was worked on', async () => {
    await start({ maxConcurrent: 1 })
    const timings: CallTimings[] = []
    const onTimings = (one: CallTimings) => void timings.push(one)
    await runFake(engine, {})
    const began = performance.now()
    const first = runFake(engine, { steps: 1, burn: 60 }, { onTimings })
    const second = runFake(engine, { steps: 1, burn: 30 }, { onTimings })
    await Promise.all([first, second])
    expect(timings.map(({ model }) => model)).toEqual(['fake', 'fake'])
    const [one, two] = timings as [CallTimings, CallTimings]
    expect(one.computeMs).toBeGreaterThanOrEqual(60)
    expect(two.computeMs).toBeGreaterThanOrEqual(30)
    // The second had to wait for the first, and no time counts twice.
    expect(two.queueMs).toBeGreaterThanOrEqual(0.9 * one.computeMs)
    expect(two.queueMs + two.computeMs).toBeLessThanOrEqual(performance.now() - began + 1)
  })

  it('tells it also of calls that fail, and of none that is aborted or had no model', async () => {
    await start()
    const onTimings = vi.fn<(timings: CallTimings) => void>()
    await expect(runFake(engine, { fail: 'throw' }, { onTimings })).rejects.toMatchObject({ code: 'internal_error' })
    expect(onTimings.mock.calls).toEqual([
      [{ model: 'fake', queueMs: expect.any(Number), computeMs: expect.any(Number) }],
    ])
    const missing = { model: 'missing', state: '', questions: { q: { type: 'noul', instructions: 'x' } } } as const
    await expect(engine.decide(missing, { onTimings })).rejects.toMatchObject({ code: 'model_not_found' })
    const signal = AbortSignal.timeout(20)
    await expect(runFake(engine, { hold: true }, { onTimings, signal })).rejects.toMatchObject({ code: 'aborted' })
    await runFake(engine, {})
    expect(onTimings).toHaveBeenCalledOnce()
  })

  it('ends a call with what its own callback throws', async () => {
    await start()
    const failure = new Error('from the callback')
    const onTimings = () => {
      throw failure
    }
    await expect(runFake(engine, {}, { onTimings })).rejects.toBe(failure)
    await expect(runFake(engine, {}, { onTimings: 1 as never })).rejects.toMatchObject({ path: 'onTimings' })
  })

  it('says what waits, what runs, and which models are open', async () => {
    await start({ maxConcurrent: 1, keepAlive: 30 })
    expect(engine.activity()).toEqual({ waiting: 0, running: 0, models: [], missing: [] })
    const calls = [1, 2, 3].map(() => runFake(engine, { hold: true }))
    await until(() => engine.activity().models.length === 1)
    expect(engine.activity()).toMatchObject({ waiting: 2, running: 1, models: [{ id: 'fake', open: 1, opened: 1 }] })
    await runFake(engine, { release: true }, { client: 'another' })
    await Promise.all(calls)
    await until(() => engine.activity().models[0]!.open === 0)
    const before = engine.activity().models[0]!
    await runFake(engine, {})
    const after = engine.activity().models[0]!
    expect([after.id, after.failed, after.opened]).toEqual(['fake', 0, before.opened + 1])
    expect(after.openedMs).toBeGreaterThan(before.openedMs)
  })

  it('counts models that could not be opened', async () => {
    await start()
    const ask = () =>
      engine.decide({ model: 'breaks', state: '', questions: { q: { type: 'noul', instructions: 'x' } } })
    await expect(ask()).rejects.toThrow()
    await expect(ask()).rejects.toThrow()
    expect(engine.activity().models).toMatchObject([{ id: 'breaks', open: 0, opened: 0, failed: 2 }])
  })
})

it('models of a worker that ended are not open', async () => {
  await using engine = await startFakeEngine({ workers: 2 })
  const held = Promise.allSettled([1, 2].map(() => runFake(engine, { hold: true })))
  await until(() => engine.activity().models[0]?.opened === 2)
  await expect(runFake(engine, { fail: 'exit' })).rejects.toMatchObject({ code: 'worker_crashed' })
  expect(engine.activity()).toMatchObject({ running: 1, models: [{ id: 'fake', open: 1, opened: 2 }] })
  await engine.dispose()
  await held
})
