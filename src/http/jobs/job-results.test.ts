import { expect, it, vi } from 'vitest'
import { AbortedError } from '../../errors/index.ts'
import { JobResults } from './job-results.ts'
import { makeJob } from './make-job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

const BYTES = 100_000
const signal = new AbortController().signal

/** Room for two lists of an account. */
const open = () => new JobResults(new MemoryJobStore(), 3 * BYTES)

it('lists of an account are written one after the other, and those of others beside them', async () => {
  const results = open()
  const running = { a: 0, b: 0 }
  const most = { a: 0, b: 0, all: 0 }
  const write = (account: 'a' | 'b') => async () => {
    most[account] = Math.max(most[account], ++running[account])
    most.all = Math.max(most.all, running.a + running.b)
    await new Promise((resolve) => setTimeout(resolve, 10))
    running[account]--
    return new Uint8Array(1)
  }
  const accounts = ['a', 'a', 'b', 'a', 'b'] as const
  await Promise.all(accounts.map((account) => results.list(account, signal, write(account))))
  expect(most).toEqual({ a: 1, b: 1, all: 2 })
})

it('lists that nobody reads leave room for no more of their account', async () => {
  const results = open()
  const list = (account: string) => results.list(account, signal, async () => new Uint8Array(BYTES))
  const [first] = [await list('a'), await list('a')]
  let hasCome = false
  const waiting = list('a').then(() => (hasCome = true))
  await list('b')
  expect(hasCome).toBe(false)
  first.leave()
  await waiting
})

it('a list whose client has gone before its turn is not written', async () => {
  const gone = list(AbortSignal.abort())
  await expect(gone).rejects.toBeInstanceOf(AbortedError)
  function list(signal: AbortSignal) {
    return open().list('a', signal, () => Promise.reject(new Error('written')))
  }
})

it('what nobody says of that its client has gone is counted for ten minutes', async () => {
  vi.useFakeTimers()
  try {
    const results = open()
    const list = () => results.list('a', signal, async () => new Uint8Array(BYTES))
    await list()
    await list()
    vi.advanceTimersByTime(595_000)
    const waiting = list()
    await vi.advanceTimersByTimeAsync(6000)
    await waiting
  } finally {
    vi.useRealTimers()
  }
})

it('the result of a job that ended here is not looked for in a store that may not have it yet', async () => {
  const apart = { readBrief: async () => undefined, readResult: async () => undefined }
  const results = new JobResults(Object.assign(new MemoryJobStore(), { apart }), BYTES)
  const asked = makeJob({ account: 'a', path: '/', keepMs: 0, request: { body: { json: {} }, caller: { id: 'a' } } })
  const ended = { ...asked, status: 'succeeded', bytes: BYTES, result: { text: 'x' } } as const
  expect((await results.whole(ended, signal)).job).toBe(ended)
})
