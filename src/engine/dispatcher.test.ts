import { describe, expect, it } from 'vitest'
import { createBackend } from '../backends/index.ts'
import type { Connect } from './connection.ts'
import { connectInline } from './inline-connection.ts'
import { resolveOptions } from './resolve-options.ts'
import { startEngine } from './start-engine.ts'
import { runFake } from './test-support/engines.ts'
import { createFakeSource } from './test-support/fake-task.ts'

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
