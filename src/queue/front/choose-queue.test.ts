import { describe, expect, it } from 'vitest'
import { type ModelQueue, queueOf } from '../queue-names.ts'
import type { Fleet } from '../worker-reports.ts'
import { chooseQueue } from './choose-queue.ts'

const JULIA = queueOf('decide', 'SupersonicLabs/Julia-1')

/** @param queues those that its one worker serves, all of one kind of work */
function fleet(queues: readonly ModelQueue[], known: readonly ModelQueue[] = []): Fleet {
  const jobs = queues.some((queue) => queue.startsWith('decide')) ? (['decide'] as const) : (['images'] as const)
  const report = { id: 'w', jobs, queues, concurrency: 1, meanMs: {}, models: [], activity: {} }
  return { reports: queues.length > 0 ? [report] : [], known } as unknown as Fleet
}

describe.each(['julia-1', 'SupersonicLabs/Julia-1'])('a model that is asked for as %s', (name) => {
  it('has the queue of a worker that serves it', () => {
    expect(chooseQueue('decide', name, fleet([JULIA]))).toBe(JULIA)
  })

  it('waits in the queue of the last worker that served it, where there is none', () => {
    expect(chooseQueue('decide', name, fleet([], [JULIA]))).toBe(JULIA)
  })

  it('is refused for another kind of work than workers do with it', () => {
    const both = { ...fleet([]), reports: [...fleet([JULIA]).reports, ...fleet([queueOf('images', 'x')]).reports] }
    expect(() => chooseQueue('generateImage', name, both)).toThrow(`'${name}' is not a model for generateImage`)
  })
})

it('a worker that gives a model its short name as its own has the calls for it', () => {
  const own = queueOf('decide', 'julia-1')
  expect(chooseQueue('decide', 'julia-1', fleet([JULIA, own]))).toBe(own)
  expect(chooseQueue('decide', 'julia-1', fleet([], [JULIA, own]))).toBe(own)
})
