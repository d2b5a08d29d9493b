import { describe, expect, it } from 'vitest'
import { guardBackend, NativeGate } from './native-gate.ts'

/** A call whose end is in the hands of the test. */
function controlledCall() {
  let finish = (): void => {}
  const ended = new Promise<string>((resolve) => {
    finish = () => resolve('done')
  })
  return { call: () => ended, finish }
}

describe('NativeGate', () => {
  it('closes only when the calls under way have ended', async () => {
    const gate = new NativeGate()
    const events: string[] = []
    const first = controlledCall()
    const second = controlledCall()
    const calls = [first, second].map(({ call }) => gate.pass(call).then(() => events.push('call')))
    const closed = gate.close().then(() => events.push('closed'))
    first.finish()
    await calls[0]
    second.finish()
    await Promise.all([...calls, closed])
    expect(events).toEqual(['call', 'call', 'closed'])
  })

  it('starts no call once it is closed', async () => {
    const gate = new NativeGate()
    await gate.close()
    let started = false
    void gate.pass(async () => (started = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(started).toBe(false)
    // A call that was turned away does not count as under way.
    gate.closeSync()
  })

  it('lets a failed call out', async () => {
    const gate = new NativeGate()
    await expect(gate.pass(() => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
    await gate.close()
  })

  it('means the same calls on both sides of the shared memory', async () => {
    const worker = new NativeGate()
    const main = new NativeGate(worker.memory)
    const { call, finish } = controlledCall()
    const passing = worker.pass(call)
    let closed = false
    const closing = main.close().then(() => (closed = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    finish()
    expect(await passing).toBe('done')
    await closing
  })
})

it('guards the sessions of a backend too', async () => {
  const gate = new NativeGate()
  const { call, finish } = controlledCall()
  const asked: (readonly string[] | undefined)[] = []
  const run = async (_: object, outputs?: readonly string[]) => {
    asked.push(outputs)
    return { y: { type: 'bool', dims: [], data: Uint8Array.of((await call()).length) } as const }
  }
  const session = { inputNames: ['x'], outputNames: ['y'], run, free() {}, dispose: async () => {} }
  const inner = {
    name: 'cpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    createSession: async () => session,
    dispose: async () => {},
  } as const
  const guarded = await guardBackend(inner, gate).createSession({ bytes: new Uint8Array() })
  const running = guarded.run({}, ['y'])
  let closed = false
  const closing = gate.close().then(() => (closed = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toBe(false)
  finish()
  expect((await running).y?.data).toEqual(Uint8Array.of(4))
  expect(asked).toEqual([['y']])
  await closing
})
