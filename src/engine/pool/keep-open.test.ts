import { afterEach, expect, it, vi } from 'vitest'
import { createBackend } from '../../backends/index.ts'
import { InsufficientMemoryError } from '../../errors/index.ts'
import type { Engine } from '../engine.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { startEngine } from '../start-engine.ts'
import { createFakeSource } from '../test-support/fake-task.ts'
import type { TaskSource } from '../worker/task.ts'
import { connectInline } from './inline-connection.ts'

let engine: Engine
afterEach(() => engine.dispose())

/** An engine of two workers, whose models close as soon as they may; the second opens them as is said. */
async function start(open: TaskSource['open']): Promise<void> {
  const options = resolveOptions({ backend: 'cpu', threads: 1, workers: 2, keepAlive: 0 }, {})
  const sources = [createFakeSource(), { ...createFakeSource(), open }]
  engine = await startEngine(
    options,
    connectInline(() => sources.shift()!, createBackend),
    createFakeSource(),
  )
}

const openOf = (id: string) => engine.activity().models.find((model) => model.id === id)?.open
const closes = (id: string) => vi.waitUntil(() => openOf(id) === 0, { timeout: 10_000 })

it('a model that the second worker has no memory for is not kept open in the first', async () => {
  await start(async () => {
    throw new InsufficientMemoryError('it needs 2 GB', 'Use a smaller one')
  })
  const refused = engine.load('decide-latest', { keepOpen: true })
  await expect(refused).rejects.toMatchObject({ code: 'insufficient_memory' })
  await closes('fake')
  expect(engine.activity().missing).toEqual([])
})

it('a model whose load is aborted while the second worker opens it is not kept open in the first', async () => {
  const controller = new AbortController()
  await start(async (_model, _backend, { signal }) => {
    controller.abort()
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const aborted = engine.load('decide-latest', { keepOpen: true, signal: controller.signal })
  await expect(aborted).rejects.toMatchObject({ code: 'aborted' })
  await closes('fake')
})

it('what another load keeps open stays so when one of the same name fails', async () => {
  await start(createFakeSource().open)
  await engine.load('decide-latest', { keepOpen: true })
  await expect(engine.load('decide-latest', { keepOpen: true, signal: AbortSignal.abort() })).rejects.toThrow()
  await engine.load('other')
  await closes('other')
  expect(openOf('fake')).toBe(2)
})
