import { describe, expect, it } from 'vitest'
import { createBackend } from '../../backends/index.ts'
import { buildAddModel } from '../../backends/probe-models.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import { InsufficientMemoryError } from '../../errors/index.ts'
import type { Progress } from '../../jobs/job-context.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { connectInline } from '../pool/inline-connection.ts'
import { startEngine } from '../start-engine.ts'
import { QUESTIONS, runFake } from '../test-support/engines.ts'
import { createFakeSource } from '../test-support/fake-task.ts'
import { fitsWhole, type MemoryPrediction, stageLimit } from './memory-prediction.ts'
import { requireMemory } from './require-memory.ts'

const FLOATS = { open: 16e9, working: 1e9, needed: 17e9, quantized: { 8: 5.2e9, 4: 3.2e9 } }

async function refuse(bytes: number, reusable = 0, prediction: Parameters<typeof requireMemory>[1] = FLOATS) {
  const outcome = requireMemory('Qwen/Qwen3-4B', prediction, reusable, async () => ({ bytes, limit: 'the container' }))
  return outcome.catch((error: InsufficientMemoryError) => error)
}

describe('a model that does not fit', () => {
  it('is refused with what it needs, what there is, and the command that makes it fit', async () => {
    const error = (await refuse(6e9)) as InsufficientMemoryError
    expect(InsufficientMemoryError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ needed: 17e9, available: 6e9, retryable: false })
    expect(error.message).toBe(
      'Qwen/Qwen3-4B needs about 17.0 GB of memory, and the container has 6.00 GB left. ' +
        'Run: npx tessera-onnx quantize Qwen/Qwen3-4B Qwen3-4B-int8 --bits 8, which makes one of about 5.20 GB',
    )
    expect(await refuse(4e9)).toHaveProperty(
      'message',
      expect.stringContaining('--bits 4, which makes one of about 3.20 GB'),
    )
    expect(await refuse(2e9)).toHaveProperty('message', expect.stringContaining('Even in 4 bits it needs 3.20 GB'))
    const small = await refuse(2e9, 0, { open: 3e9, working: 0, needed: 3e9 })
    expect(small).toHaveProperty('remedy', expect.not.stringContaining('quantize'))
  })

  it('is not refused where closed models have left enough to the process', async () => {
    expect(await refuse(6e9, 11e9)).toBe(17e9)
    expect(await refuse(17e9)).toBe(17e9)
  })
})

it('an engine asks before it opens a model, and opens none that is refused', async () => {
  const asked: unknown[] = []
  const fake = createFakeSource()
  let opened = 0
  const source: typeof fake = {
    ...fake,
    open: async (...args) => {
      opened++
      return fake.open(...args)
    },
    memory: {
      isSmall: async () => false,
      predict: async () => FLOATS,
      require: async ({ id }, prediction, reusable) => {
        asked.push([id, prediction.open, reusable])
        return requireMemory(id, prediction, reusable, async () => ({ bytes: 6e9, limit: 'the machine' }))
      },
    },
  }
  const connect = connectInline(() => source, createBackend)
  const options = resolveOptions({ backend: 'cpu', threads: 1, worker: false }, {})
  const engine = await startEngine(options, connect, source)
  await expect(runFake(engine, {})).rejects.toThrow(InsufficientMemoryError)
  expect([asked, opened]).toEqual([[['fake', 16e9, 0]], 0])
  await engine.dispose()
})

it('an engine opens the parts of pictures at once where all fit together, else when they are run', async () => {
  const opened: [number, number][] = []
  for (const memoryBudget of [5e9, 50e9]) {
    const fake = createFakeSource()
    const source: typeof fake = {
      ...fake,
      open: async (model, backend, context) => {
        for (const rest of [3e9, 6e9]) await backend.createSession({ ...buildAddModel(), memory: { floats: 0, rest } })
        return fake.open(model, backend, context)
      },
      memory: {
        isSmall: async () => false,
        predict: async () => ({ open: 9e9, working: 1e9, needed: 5e9 }),
        require: async () => 20e9,
      },
    }
    const watching: typeof createBackend = async (settings) => {
      const choice = await createBackend(settings)
      const createSession: typeof choice.backend.createSession = (model) => {
        opened.push([memoryBudget, model.memory!.rest])
        return choice.backend.createSession(model)
      }
      return { ...choice, backend: withSessions(choice.backend, { createSession }) }
    }
    const options = resolveOptions({ backend: 'cpu', threads: 1, worker: false, memoryBudget }, {})
    const engine = await startEngine(
      options,
      connectInline(() => source, watching),
      source,
    )
    const told: Progress[] = []
    await runFake(engine, {}, { onProgress: (progress) => told.push(progress) })
    expect([told[0], told.at(-1)]).toEqual([0, 9e9].map((done) => ({ stage: 'loading', done, total: 9e9 })))
    await engine.dispose()
  }
  expect(opened).toEqual([
    [50e9, 3e9],
    [50e9, 6e9],
  ])
})

it('of a model that works in stages an engine counts as left what it may have held, not all its parts', async () => {
  const predictions: Record<string, MemoryPrediction> = {
    pictures: { open: 30e9, working: 2e9, needed: 8e9 },
    other: { open: 18e9, working: 0, needed: 18e9 },
  }
  const asked: unknown[] = []
  const fake = createFakeSource()
  const source: typeof fake = {
    ...fake,
    memory: {
      isSmall: async () => false,
      predict: async ({ id }) => predictions[id],
      require: async ({ id }, _, reusable) => {
        asked.push([id, reusable])
        return 12e9
      },
    },
  }
  const connect = connectInline(() => source, createBackend)
  const options = { backend: 'cpu', threads: 1, worker: false, keepAlive: 0, memoryBudget: 16e9 } as const
  const engine = await startEngine(resolveOptions(options, {}), connect, source)
  for (const model of ['pictures', 'other']) {
    await engine.decide({ model, state: {}, questions: QUESTIONS })
    await expect.poll(() => engine.activity().models.every(({ open }) => open === 0)).toBe(true)
  }
  expect(asked).toEqual([
    ['pictures', 0],
    ['other', 12e9 - 40e6],
  ])
  await engine.dispose()
})

it('works in stages within what there is, only where stages are smaller than the whole', () => {
  const pictures = { open: 9.3e9, working: 1.1e9, needed: 5.8e9 }
  expect([10.5e9, 10.3e9].map((room) => fitsWhole(pictures, room))).toEqual([true, false])
  expect(fitsWhole({ ...pictures, mapped: 0.5e9 }, 10.5e9)).toBe(false)
  expect(stageLimit(pictures, 6.5e9)).toBe(6.5e9 - 40e6)
  expect(stageLimit(pictures, 30e6)).toBe(0)
  expect(stageLimit({ open: 8e9, working: 1e9, needed: 9e9 }, 2e9)).toBeUndefined()
})
