import { totalmem } from 'node:os'
import { describe, expect, it } from 'vitest'
import { countDefaultThreads } from '../../backends/index.ts'
import { resolveOptions } from './resolve-options.ts'

describe('resolveOptions', () => {
  it('has defaults', () => {
    expect(resolveOptions({}, {})).toEqual({
      settings: {
        backend: 'auto',
        models: {},
        symbols: { bothOrders: false, symbolMass: false },
        keepAlive: 300_000,
        memoryBudget: expect.any(Number),
      },
      worker: true,
      workers: 1,
      maxConcurrent: 4,
      maxQueue: undefined,
      maxOptions: 26,
      loras: {},
      preload: [],
    })
    const { memoryBudget } = resolveOptions({}, {}).settings
    expect(memoryBudget).toBeGreaterThan(0)
    expect(memoryBudget).toBeLessThanOrEqual(totalmem() / 2)
  })

  it('reads the environment, and options win over it', () => {
    const env = { TESSERA_BACKEND: 'wasm', TESSERA_THREADS: '3' }
    expect(resolveOptions({}, env).settings).toMatchObject({ backend: 'wasm', threads: 3 })
    expect(resolveOptions({ backend: 'cpu', threads: 1 }, env).settings).toMatchObject({ backend: 'cpu', threads: 1 })
  })

  it('shares processors and memory among workers, unless threads are named', () => {
    const one = resolveOptions({ memoryBudget: 900 }, {})
    const { settings, workers } = resolveOptions({ workers: 3, memoryBudget: 900 }, {})
    expect([one.workers, one.settings.memoryBudget, one.settings.threads]).toEqual([1, 900, undefined])
    expect([workers, settings.memoryBudget, settings.threads]).toEqual([
      3,
      300,
      Math.max(1, Math.floor(countDefaultThreads() / 3)),
    ])
    expect(resolveOptions({ workers: 3, threads: 2 }, {}).settings.threads).toBe(2)
  })

  it('shares them among one worker for everything and as many of one thread as it has', () => {
    const { settings, narrow, workers } = resolveOptions({ workers: 'auto', threads: 3, memoryBudget: 9e9 }, {})
    expect([workers, settings.threads, narrow?.threads]).toEqual([4, 3, 1])
    expect(settings.memoryBudget + 3 * narrow!.memoryBudget).toBe(9e9)
    expect(resolveOptions({ workers: 'auto', threads: 64, memoryBudget: 9e9 }, {}).workers).toBe(9)
    expect(resolveOptions({ workers: 'auto', threads: 64, memoryBudget: 2e9 }, {}).workers).toBe(4)
  })

  it('takes empty variables as absent', () => {
    const { settings } = resolveOptions({}, { TESSERA_BACKEND: '', TESSERA_THREADS: '' })
    expect(settings).toMatchObject({ backend: 'auto' })
    expect(settings.threads).toBeUndefined()
  })

  it.each([
    [{ backend: 'gpu' as 'cuda' }, {}, "backend: must be one of auto, cpu, cuda, webgpu, wasm, coreml, dml, got 'gpu'"],
    [{}, { TESSERA_BACKEND: 'GPU' }, 'TESSERA_BACKEND: must be one of'],
    [{}, { TESSERA_THREADS: 'two' }, "TESSERA_THREADS: must be a whole number from 1 to 256, got 'two'"],
    [{ threads: 0 }, {}, 'threads: must be a whole number from 1 to 256, got 0'],
    [{ threads: 1000 }, {}, 'threads: must be a whole number from 1 to 256, got 1000'],
    [{ workers: 0 }, {}, "workers: must be a whole number of 1 or more, or 'auto', got 0"],
    [{ workers: 2, worker: false }, {}, 'workers: must be 1 where `worker` is false, got 2'],
    [{ maxConcurrent: 1.5 }, {}, 'maxConcurrent: must be a whole number of 1 or more, got 1.5'],
    [{ maxQueue: -1 }, {}, 'maxQueue: must be a whole number of 0 or more, got -1'],
    [{ keepAlive: -1 }, {}, 'keepAlive: must be a number from 0, got -1'],
    [{ memoryBudget: Number.NaN }, {}, 'memoryBudget: must be a number from 0, got NaN'],
    [{ models: { 'decide-latest': '' } }, {}, 'models.decide-latest: must be a folder'],
    [
      { models: { decide: './x' } as never },
      {},
      "models.decide: is a job and no model name; the model that does it is 'decide-latest'",
    ],
    [{ models: 'x' as never }, {}, "models: must be an object of names to models, got 'x'"],
    [{ worker: 'x' as never }, {}, "worker: must be true, false or 'process', got 'x'"],
    [{ runtimeTelemetry: 1 as never }, {}, 'runtimeTelemetry: must be true or false, got 1'],
    [{ wrokers: 2 } as never, {}, 'wrokers: is no option of an engine; those are backend, models'],
    [null as never, {}, 'options: must be an object, got null'],
  ])('refuses %o with %o', (options, env, message) => {
    expect(() => resolveOptions(options, env)).toThrow(message)
  })
})
