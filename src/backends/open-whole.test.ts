import { describe, expect, it } from 'vitest'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, Session } from './backend.ts'
import { type Alone, openWhole } from './open-whole.ts'

const MODEL: BuiltGraph = { bytes: new Uint8Array() }
const atOnce: Alone = (work) => work()

function createCountingBackend(failAt: number) {
  const counts = { created: 0, disposed: 0 }
  const session: Session = {
    inputNames: [],
    outputNames: [],
    run: async () => ({}),
    free: () => {},
    dispose: async () => void counts.disposed++,
  }
  const createSession = async () => {
    if (counts.created + 1 === failAt) throw new Error('no room')
    counts.created++
    return session
  }
  const backend: Backend = {
    name: 'cpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    createSession,
    dispose: async () => {},
  }
  return { backend, counts }
}

describe('openWhole', () => {
  it('disposes the sessions that were opened where a later one fails', async () => {
    const { backend, counts } = createCountingBackend(3)
    const open = openWhole(backend, atOnce, async (given) => {
      await given.createSession(MODEL)
      await given.createSession(MODEL)
      await given.createSession(MODEL)
    })
    await expect(open).rejects.toThrow('no room')
    expect(counts).toEqual({ created: 2, disposed: 2 })
  })

  it('makes its sessions one at a time as it is let, and later ones as they come', async () => {
    const { backend, counts } = createCountingBackend(0)
    const events: string[] = []
    let line = Promise.resolve()
    const alone: Alone = async (work) => {
      const made = line.then(() => (events.push('turn'), work()))
      line = made.then(() => void events.push('end'))
      return made
    }
    const later = await openWhole(backend, alone, async (given) => {
      await Promise.all([given.createSession(MODEL), given.createSession(MODEL)])
      return () => given.createSession(MODEL)
    })
    await later()
    expect(events).toEqual(['turn', 'end', 'turn', 'end'])
    expect(counts.created).toBe(3)
  })

  it('leaves those of what is open, and those opened later, to it', async () => {
    const { backend, counts } = createCountingBackend(0)
    const later = await openWhole(backend, atOnce, async (given) => {
      await given.createSession(MODEL)
      return () => given.createSession(MODEL)
    })
    await later()
    expect(counts).toEqual({ created: 2, disposed: 0 })
  })

  it('makes no further session once its signal fires, and disposes those that it made', async () => {
    const { backend, counts } = createCountingBackend(0)
    const controller = new AbortController()
    const opened: BuiltGraph[] = []
    const onOpened = (model: BuiltGraph) => {
      opened.push(model)
      if (opened.length === 2) controller.abort()
    }
    const open = openWhole(
      backend,
      atOnce,
      async (given) => {
        for (let i = 0; i < 5; i++) await given.createSession(MODEL)
      },
      { signal: controller.signal, onOpened },
    )
    await expect(open).rejects.toMatchObject({ code: 'aborted' })
    expect(counts).toEqual({ created: 2, disposed: 2 })
    expect(opened).toEqual([MODEL, MODEL])
  })

  it('disposes a session during whose making its signal fired', async () => {
    const { backend, counts } = createCountingBackend(0)
    const controller = new AbortController()
    const aborting: Alone = async (work) => {
      const made = await work()
      controller.abort()
      return made
    }
    const open = openWhole(backend, aborting, (given) => given.createSession(MODEL), { signal: controller.signal })
    await expect(open).rejects.toMatchObject({ code: 'aborted' })
    expect(counts).toEqual({ created: 1, disposed: 1 })
  })
})
