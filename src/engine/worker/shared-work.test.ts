import { expect, it } from 'vitest'
import { SharedWork } from './shared-work.ts'

const forEver = () => new AbortController().signal

/** Work that ends when it is let, and notes whether it was told to stop. */
function createWork() {
  let finish: (value: string) => void
  let stopped = false
  const work = new SharedWork((signal) => {
    signal.addEventListener('abort', () => (stopped = true))
    return new Promise<string>((resolve) => (finish = resolve))
  })
  return { work, finish: (value: string) => finish(value), wasStopped: () => stopped }
}

it('goes on until the last who waited for it has gone', async () => {
  const { work, finish, wasStopped } = createWork()
  const [one, other] = [new AbortController(), new AbortController()]
  const waits = [work.wait(one.signal), work.wait(other.signal)]
  const outcomes = Promise.allSettled(waits)
  one.abort()
  await expect(waits[0]).rejects.toMatchObject({ code: 'aborted' })
  expect([wasStopped(), work.isStopping]).toEqual([false, false])
  other.abort()
  await outcomes
  expect([wasStopped(), work.isStopping]).toEqual([true, true])
  finish('all the same')
  await work.settled()
  expect(work.isStopping).toBe(false)
  expect(await work.wait(forEver())).toBe('all the same')
})

it('is not stopped by those who wait no longer because it is over', async () => {
  const { work, finish, wasStopped } = createWork()
  const waits = [work.wait(forEver()), work.wait(forEver())]
  await Promise.resolve()
  finish('done')
  expect(await Promise.all(waits)).toEqual(['done', 'done'])
  expect(wasStopped()).toBe(false)
})

it('fails for all who wait, and settles', async () => {
  const work = new SharedWork(() => {
    throw new Error('no such file')
  })
  await expect(work.wait(forEver())).rejects.toThrow('no such file')
  await work.settled()
  expect(work.isStopping).toBe(false)
})

it('is told why the last who waited has gone', async () => {
  let told: AbortSignal | undefined
  const work = new SharedWork((signal) => {
    told = signal
    return new Promise<void>(() => {})
  })
  const caller = new AbortController()
  const wait = work.wait(caller.signal)
  await Promise.resolve()
  caller.abort('the client went away')
  await expect(wait).rejects.toMatchObject({ code: 'aborted' })
  expect(told?.reason).toBe('the client went away')
})
