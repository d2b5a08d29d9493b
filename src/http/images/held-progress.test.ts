import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Progress } from '../../engine/index.ts'
import { HeldProgress } from './held-progress.ts'

const [first, second] = [0, 1].map((done): Progress => ({ stage: 'loading', done, total: 9 })) as [Progress, Progress]

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function hold() {
  const told: Progress[] = []
  return { held: new HeldProgress((progress) => told.push(progress)), told }
}

it('counts the wait of a request in the queue, after which everything is told at once', () => {
  const { held, told } = hold()
  vi.advanceTimersByTime(20_000)
  held.add(first)
  vi.advanceTimersByTime(9999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual([first])
  const { held: later, told: toldLater } = hold()
  vi.advanceTimersByTime(30_000)
  later.add(first)
  later.add(second)
  expect(toldLater).toEqual([first, second])
})

it('holds nothing open for a request that is over', () => {
  const { held, told } = hold()
  held.add(first)
  held.drop()
  expect([vi.getTimerCount(), told]).toEqual([0, []])
})
