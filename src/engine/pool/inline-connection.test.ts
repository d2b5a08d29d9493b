import { expect, it } from 'vitest'
import { createBackend } from '../../backends/index.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { startEngine } from '../start-engine.ts'
import { runFake } from '../test-support/engines.ts'
import { createFakeSource } from '../test-support/fake-task.ts'
import { Dispatcher } from './dispatcher.ts'
import { connectInline } from './inline-connection.ts'

const options = resolveOptions({ backend: 'cpu', threads: 1, worker: false }, {})

it('opens a model once for all its jobs and disposes it with the engine', async () => {
  const source = createFakeSource()
  let opened = 0
  const counting = { ...source, open: (...args: Parameters<typeof source.open>) => (opened++, source.open(...args)) }
  const engine = await startEngine(
    options,
    connectInline(() => counting, createBackend),
    counting,
  )
  await Promise.all([runFake(engine, {}), runFake(engine, {})])
  expect([opened, source.disposed]).toEqual([1, []])
  await engine.dispose()
  expect(source.disposed).toEqual(['fake'])
})

it('opens a model once, however many names lead to it', async () => {
  const source = createFakeSource()
  let opened = 0
  const counting = {
    ...source,
    resolve: async () => ({ id: 'fake', folder: '/the/same' }),
    open: (...args: Parameters<typeof source.open>) => (opened++, source.open(...args)),
  }
  const engine = await startEngine(
    options,
    connectInline(() => counting, createBackend),
    counting,
  )
  const ask = (model: string) =>
    engine.countTokens({ model, state: '', questions: { q: { type: 'noul', instructions: 'x' } } })
  await Promise.all(['jev-latest', 'jev-preview', 'anything'].map(ask))
  expect(opened).toBe(1)
  await engine.dispose()
})

it('disposes a model only after the jobs on it have stopped', async () => {
  const source = createFakeSource()
  const engine = await startEngine(
    options,
    connectInline(() => source, createBackend),
    source,
  )
  const events: string[] = []
  await new Promise<void>((resolve) => {
    const onProgress = () => (events.push(`disposed: ${source.disposed.length}`), resolve())
    runFake(engine, { steps: 1e9 }, { onProgress }).catch(() => events.push('rejected'))
  })
  await engine.dispose()
  expect(events.slice(-1)).toEqual(['rejected'])
  expect(new Set(events)).toEqual(new Set(['disposed: 0', 'rejected']))
  expect(source.disposed).toEqual(['fake'])
})

it('tries again to open a model that failed to open', async () => {
  const source = createFakeSource()
  let attempts = 0
  const open: typeof source.open = async (...args) => {
    if (++attempts === 1) throw new Error('the disk was busy')
    return source.open(...args)
  }
  const engine = await startEngine(
    options,
    connectInline(() => ({ ...source, open }), createBackend),
    source,
  )
  await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'internal_error' })
  expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  await engine.dispose()
})

it('sends progress only for calls that hear of it', async () => {
  const source = createFakeSource()
  const inline = connectInline(() => source, createBackend)
  const sent: string[] = []
  const engine = await startEngine(
    options,
    ({ onMessage, onCrash }) =>
      inline({ onMessage: (message) => (sent.push(message.type), onMessage(message)), onCrash }),
    source,
  )
  await runFake(engine, { steps: 2 })
  await runFake(engine, { steps: 2 }, { onProgress: () => {} })
  expect(sent).toEqual(['started', 'model', 'result', 'progress', 'progress', 'result'])
  await engine.dispose()
})

it('waits for a start that is still going on when it is disposed, and frees its backend', async () => {
  const source = createFakeSource()
  const freed: string[] = []
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  let finish = () => {}
  const held = new Promise<void>((resolve) => (finish = resolve))
  const createSlowly: typeof createBackend = async (settings) => {
    begin()
    await held
    const choice = await createBackend(settings)
    return { ...choice, backend: { ...choice.backend, dispose: async () => void freed.push('backend') } }
  }
  const dispatcher = new Dispatcher(
    connectInline(() => source, createSlowly),
    options,
  )
  const start = dispatcher.start().catch((error: unknown) => error)
  await begun
  const disposal = dispatcher.dispose()
  expect(await start).toMatchObject({ code: 'engine_disposed' })
  finish()
  await disposal
  expect(freed).toEqual(['backend'])
})
