import { describe, expect, it } from 'vitest'
import type { GraphModel, Session, Tensor } from './backend.ts'
import { createCpuBackend } from './cpu.ts'
import { checkAddition, checkInPlace } from './self-test.ts'

type Into = Readonly<Record<string, Tensor>>

/** The cpu backend with a fault put before or after every run. */
async function withFault(fault: { before?: (into: Into) => void; after?: (into: Into) => void }) {
  const cpu = await createCpuBackend({ threads: 1 })
  return async (model: GraphModel): Promise<Session> => {
    const session = await cpu.createSession(model)
    const run: Session['run'] = async (feeds, into = {}) => {
      fault.before?.(into)
      const results = await session.run(feeds, into)
      fault.after?.(into)
      return results
    }
    return { inputNames: session.inputNames, outputNames: session.outputNames, run, dispose: () => session.dispose() }
  }
}

const clear = (into: Into) => Object.values(into).forEach((tensor) => (tensor.data as Float32Array).fill(0))

describe('the in-place self-test', () => {
  it('is passed by a runtime that leaves the past alone while it writes the present', async () => {
    expect(await checkInPlace(await withFault({}))).toBe(true)
  })

  it('is failed by a runtime that clears targets first', async () => {
    expect(await checkInPlace(await withFault({ before: clear }))).toBe(false)
  })

  it('is failed by a runtime that never writes targets', async () => {
    expect(await checkInPlace(await withFault({ after: clear }))).toBe(false)
  })

  it('is failed by a runtime that has no attention operator', async () => {
    expect(await checkInPlace(() => Promise.reject(new Error('not a registered function')))).toBe(false)
  })
})

describe('the addition check', () => {
  it('notices a provider that computes something else', async () => {
    const y: Tensor = { type: 'float32', dims: [4], data: new Float32Array(4) }
    const session: Session = { inputNames: [], outputNames: [], run: async () => ({ y }), dispose: async () => {} }
    await expect(checkAddition(async () => session)).rejects.toThrow('wrong sum')
  })
})
