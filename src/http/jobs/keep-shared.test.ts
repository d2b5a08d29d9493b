import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { LeftJobStore } from '../test-support/left-job-store.ts'
import { keepShared } from './keep-shared.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('a store that does not answer is asked once, and again when it has', async () => {
  let answer = () => {}
  const renewals: (readonly string[])[] = []
  const renew = (ids: readonly string[]) => {
    renewals.push(ids)
    return new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  const shared = { ...new LeftJobStore().shared, renew }
  const stop = keepShared(shared, { underway: () => ['job_1'], resume() {}, cancel() {} })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(renewals).toEqual([['job_1']])
  answer()
  await vi.advanceTimersByTimeAsync(3000)
  expect(renewals).toHaveLength(2)
  stop()
})
