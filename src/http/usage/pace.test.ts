import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Pace } from './pace.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function after(seconds: number, stage: string, done: number, total = 100): Pace {
  const pace = new Pace()
  pace.note({ stage: 'loading', done: total, total })
  vi.advanceTimersByTime(60_000)
  pace.note({ stage, done: 0, total })
  vi.advanceTimersByTime(seconds * 1000)
  pace.note({ stage, done, total })
  return pace
}

it('what is left takes as long as what is done, by its share, and a quarter longer', () => {
  expect(after(10, 'reading', 50).remaining()).toBeCloseTo(12_500)
  expect(after(10, 'reading', 80).remaining()).toBeCloseTo(3125)
})

it('is told within what clients wait, also of work that has shown nothing', () => {
  expect(after(10, 'reading', 1).remaining()).toBe(55_000)
  expect(after(10, 'reading', 100).remaining()).toBe(1000)
  expect(after(10, 'reading', 0).remaining()).toBe(10_000)
  expect(after(10, 'downloading', 0, 0).remaining()).toBe(10_000)
  expect(new Pace().remaining()).toBe(10_000)
})
