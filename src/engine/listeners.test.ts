import { afterEach, describe, expect, it } from 'vitest'
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
})
