import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OverloadedError, RateLimitError } from '../../errors/index.ts'
import type { Job } from './job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

const LIMITS = { jobs: 3, jobsEach: 2, bytes: 100, bytesEach: 75 }
const make = (id: string, account = 'a'): Job => ({
  id,
  account,
  path: '/v1/systemone',
  status: 'queued',
  createdAt: 0,
  keepMs: 60_000,
  bytes: 0,
})

let store: MemoryJobStore
beforeEach(() => {
  vi.useFakeTimers()
  store = new MemoryJobStore(LIMITS)
})
afterEach(() => vi.useRealTimers())

it('says when there will be room, and has it then', async () => {
  await store.add(make('1'))
  await store.add(make('2'))
  await expect(store.add(make('3'))).rejects.toSatisfy((error) => RateLimitError.isInstance(error))
  await store.write({ ...make('1'), status: 'succeeded', endedAt: 0 })
  await vi.advanceTimersByTimeAsync(20_000)
  // Timers take no notice of a clock that is set.
  vi.setSystemTime(Date.now() - 3_600_000)
  await expect(store.add(make('3'))).rejects.toMatchObject({ retryAfterMs: 40_000 })
  await store.add(make('4', 'b'))
  await expect(store.add(make('5', 'c'))).rejects.toSatisfy((error) => OverloadedError.isInstance(error))
  await vi.advanceTimersByTimeAsync(40_000)
  expect(await store.read('1')).toBeUndefined()
  expect(await store.add(make('3'))).toBeUndefined()
})

it('takes no more jobs while results fill it, and drops none', async () => {
  await store.add(make('1'))
  await store.add(make('2', 'b'))
  await store.write({ ...make('1'), status: 'succeeded', result: {}, bytes: 50 })
  await store.write({ ...make('2', 'b'), status: 'succeeded', result: {}, bytes: 50 })
  await expect(store.add(make('3', 'c'))).rejects.toThrow('as many jobs as it can')
  expect(await store.read('1')).toMatchObject({ result: {} })
  await store.remove('1')
  expect(await store.add(make('3', 'c'))).toBeUndefined()
})

it('takes jobs of others while the results of one account fill its part, and more than that', async () => {
  await store.add(make('1'))
  await store.write({ ...make('1'), status: 'succeeded', endedAt: 0, result: {}, bytes: 120 })
  await vi.advanceTimersByTimeAsync(20_000)
  await expect(store.add(make('2'))).rejects.toMatchObject({ code: 'rate_limit_error', retryAfterMs: 40_000 })
  expect(await store.add(make('2', 'b'))).toBeUndefined()
})

it('hands out the job that is there', async () => {
  const job = make('1')
  await store.add(job)
  expect(await store.add({ ...job, createdAt: 5 })).toBe(job)
  expect(await store.list('a')).toEqual([job])
})

it.each(['failed', 'cancelled'] as const)(
  'has room for another of its id where one has %s without a result',
  async (status) => {
    const end = { status, endedAt: 0 }
    await store.add(make('1'))
    await store.write({ ...make('1'), ...end })
    expect(await store.add({ ...make('1'), createdAt: 5 })).toBeUndefined()
    expect(await store.list('a')).toMatchObject([{ status: 'queued', createdAt: 5 }])
    // Lines of a batch that were answered are charged.
    await store.write({ ...make('1'), ...end, result: [], bytes: 2 })
    expect(await store.add(make('1'))).toMatchObject({ status })
  },
)
