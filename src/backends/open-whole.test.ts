import { describe, expect, it } from 'vitest'
import type { Backend, GraphModel, Session } from './backend.ts'
import { openWhole } from './open-whole.ts'

const MODEL: GraphModel = { bytes: new Uint8Array() }

function createCountingBackend(failAt: number) {
  const counts = { created: 0, disposed: 0 }
  const session: Session = {
    inputNames: [], outputNames: [], run: async () => ({}), free: () => {}, dispose: async () => void counts.disposed++,
  }
  const createSession = async () => {
    if (counts.created + 1 === failAt) throw new Error('no room')
    counts.created++
    return session
  }
  const backend: Backend = { name: 'cpu', attention: 'fused', precision: 'float32', movesHalf: true, createSession, dispose: async () => {} }
  return { backend, counts }
}

describe('openWhole', () => {
  it('disposes the sessions that were opened where a later one fails', async () => {
    const { backend, counts } = createCountingBackend(3)
    const open = openWhole(backend, new AbortController().signal, async (given) => {
      await given.createSession(MODEL)
      await given.createSession(MODEL)
      await given.createSession(MODEL)
    })
    await expect(open).rejects.toThrow('no room')
    expect(counts).toEqual({ created: 2, disposed: 2 })
  })

  it('stops before the next session once its signal has fired', async () => {
    const { backend, counts } = createCountingBackend(0)
    const controller = new AbortController()
    const open = openWhole(backend, controller.signal, async (given) => {
      await given.createSession(MODEL)
      controller.abort()
      await given.createSession(MODEL)
    })
    await expect(open).rejects.toMatchObject({ code: 'aborted' })
    expect(counts).toEqual({ created: 1, disposed: 1 })
  })

  it('leaves those of what is open, and those opened later, to it', async () => {
    const { backend, counts } = createCountingBackend(0)
    const later = await openWhole(backend, new AbortController().signal, async (given) => {
      await given.createSession(MODEL)
      return () => given.createSession(MODEL)
    })
    await later()
    expect(counts).toEqual({ created: 2, disposed: 0 })
  })
})
