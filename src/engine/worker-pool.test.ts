import { afterEach, describe, expect, it } from 'vitest'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './resolve-options.ts'
import { runFake, startFakeEngine } from './test-support/engines.ts'

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
