import { describe, expect, it, vi } from 'vitest'
import { createBackend } from '../../backends/index.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { startEngine } from '../start-engine.ts'
import { runFake, startFakeEngine } from '../test-support/engines.ts'
import { createFakeSource } from '../test-support/fake-task.ts'
import type { Connect, ConnectionHandlers } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import { connectInline } from './inline-connection.ts'
import type { RunMessage } from './protocol.ts'

/** An engine over fake tasks in this thread, whose other end cannot be made while `broken` says so. */
async function startBreakable(workers: number) {
  const source = createFakeSource()
  const inline = connectInline(() => source, createBackend)
  const state = { broken: false, tried: 0 }
  const connect: Connect = (handlers) => {
    state.tried++
    if (state.broken) throw Object.assign(new Error('no more threads'), { code: 'ERR_WORKER_INIT_FAILED' })
    return inline(handlers)
  }
  const options = { ...resolveOptions({ backend: 'cpu', threads: 1, maxConcurrent: 1, maxQueue: 2 }, {}), workers }
  return { state, start: () => startEngine(options, connect, source) }
}

describe('a worker that cannot be made', () => {
  it('is a typed error, and the next start tries again', async () => {
    const { state, start } = await startBreakable(1)
    state.broken = true
    await expect(start()).rejects.toMatchObject({
      code: 'worker_crashed',
      cause: expect.objectContaining({ message: 'no more threads' }),
    })
    state.broken = false
    await using engine = await start()
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  })

  it('does not draw the calls that another can take', async () => {
    const { state, start } = await startBreakable(2)
    await using engine = await start()
    state.broken = true
    const held = runFake(engine, { name: 'a', hold: true, steps: 1 })
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'worker_crashed', retryable: true })
    const waiting = runFake(engine, { release: true, name: 'b' }, { client: 'b' })
    await Promise.all([held, waiting])
    expect(state.tried).toBe(2)
    state.broken = false
    const full = [1, 2, 3].map((name) => runFake(engine, { name: `c${name}`, steps: 3 }))
    await runFake(engine, { name: 'd', steps: 1 })
    expect(state.tried).toBe(3)
    await Promise.all(full)
  })
})

it('models that are to stay open come back where calls take all places', async () => {
  const runs: RunMessage[] = []
  let other!: ConnectionHandlers
  const connect: Connect = (handlers) => {
    other = handlers
    return {
      post: (message) => {
        if (message.type === 'start') queueMicrotask(() => handlers.onMessage({ type: 'started', info: {} as never }))
        else if (message.type === 'run') runs.push(message)
      },
      setBusy: () => {},
      close: async () => {},
    }
  }
  const dispatcher = new Dispatcher(connect, resolveOptions({ backend: 'cpu', maxConcurrent: 1, maxQueue: 0 }, {}))
  const answerNext = async (afterwards = () => {}) => {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.waitUntil(() => runs.length > 0, { interval: 1, timeout: 60_000 })
    const { id, model } = runs.shift()!
    other.onMessage({ type: 'result', id, response: null, served: {} as never })
    afterwards()
    return model
  }
  for (const name of ['a', 'b']) await Promise.all([dispatcher.load(name, { keepOpen: true }), answerNext()])
  other.onCrash('it ended')
  const reopened = await answerNext(() => void dispatcher.load('other'))
  expect([reopened, await answerNext(), await answerNext()]).toEqual(['a', 'other', 'b'])
  await vi.waitUntil(() => dispatcher.activity.missing.length === 0, { interval: 1, timeout: 60_000 })
  await dispatcher.dispose()
})

it('a call that cannot be sent ends, and leaves its place to the next', async () => {
  const source = createFakeSource()
  const inline = connectInline(() => source, createBackend)
  const connect: Connect = (handlers) => {
    const connection = inline(handlers)
    return { ...connection, post: (message, moved) => connection.post(structuredClone(message), moved) }
  }
  const dispatcher = new Dispatcher(connect, resolveOptions({ backend: 'cpu', threads: 1, maxConcurrent: 1 }, {}))
  const state = { name: () => {} } as never
  await expect(dispatcher.submit('decide', 'x', { state, questions: {} })).rejects.toMatchObject({
    code: 'internal_error',
    cause: expect.objectContaining({ name: 'DataCloneError' }),
  })
  expect(dispatcher.activity.running).toBe(0)
  await dispatcher.load('x')
  await dispatcher.dispose()
})

it('neither decisions nor pictures wait for places that the other has', async () => {
  await using engine = await startFakeEngine({ maxConcurrent: 1 })
  const held = engine.generateImage({ prompt: JSON.stringify({ name: 'p', hold: true, steps: 1 }) })
  const waiting = engine.generateImage({ prompt: JSON.stringify({ name: 'q', steps: 1 }) })
  // Of the same client, and without being told apart.
  expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  expect(engine.activity()).toMatchObject({ running: 1, waiting: 1 })
  await runFake(engine, { name: 'b', release: true })
  await Promise.all([held, waiting])
})
