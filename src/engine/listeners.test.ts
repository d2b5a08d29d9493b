import { afterEach, describe, expect, it, vi } from 'vitest'
import { warnOf } from '../jobs/tell.ts'
import type { Engine } from './engine.ts'
import { runFake, startFakeEngine } from './test-support/engines.ts'

describe.each([{ worker: false }, { worker: true }])('an engine with worker: $worker', ({ worker }) => {
  let engine: Engine
  afterEach(() => engine.dispose())

  it.each([
    [
      'progress handler',
      () => {
        throw new Error('from the handler')
      },
    ],
    ['async progress handler', () => Promise.reject(new Error('from the handler'))],
  ])('rejects a call with what its %s throws, and goes on', async (_, onProgress: () => void) => {
    engine = await startFakeEngine({ worker })
    await expect(runFake(engine, { steps: 500 }, { onProgress })).rejects.toThrow('from the handler')
    await expect(runFake(engine, { name: 'b', steps: 1 })).resolves.toContain('b1')
  })

  it.each(['onProgress', 'onTimings'])('warns of what an async %s throws after the answer', async (listener) => {
    engine = await startFakeEngine({ worker })
    let fail = () => {}
    const failing = new Promise<never>((_, reject) => (fail = () => reject(new Error('the socket is closed'))))
    const warned = new Promise((resolve) => process.once('warning', resolve))
    expect(await runFake(engine, { name: 'a', steps: 1 }, { [listener]: () => failing })).toContain('a1')
    fail()
    expect(await warned).toMatchObject({ message: 'the socket is closed' })
    await expect(runFake(engine, { name: 'b', steps: 1 })).resolves.toContain('b1')
  })
})

it('faults of listeners that come too late are reported as browsers do, where there is no Node', () => {
  const reportError = vi.fn<(error: unknown) => void>()
  vi.stubGlobal('reportError', reportError)
  vi.stubGlobal('process', undefined)
  try {
    warnOf('too late')
  } finally {
    vi.unstubAllGlobals()
  }
  expect(reportError).toHaveBeenCalledExactlyOnceWith('too late')
})
