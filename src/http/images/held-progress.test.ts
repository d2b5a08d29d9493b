import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Progress } from '../../engine/index.ts'
import { HeldProgress } from './held-progress.ts'

const shown = (...progress: Progress[]) => progress.map((one) => `progress ${JSON.stringify(one)}`)
const [first, second] = [0, 1].map((done): Progress => ({ stage: 'loading', done, total: 9 })) as [Progress, Progress]

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function hold() {
  const told: string[] = []
  return { held: new HeldProgress((text) => told.push(text)), told }
}

it('counts the wait of a request in the queue, after which everything is told at once', () => {
  const { held, told } = hold()
  vi.advanceTimersByTime(20_000)
  held.add(first)
  vi.advanceTimersByTime(9999)
  expect(told).toEqual([])
  vi.advanceTimersByTime(1)
  expect(told).toEqual(shown(first))
  const { held: later, told: toldLater } = hold()
  vi.advanceTimersByTime(30_000)
  later.add(first)
  later.add(second)
  expect(toldLater).toEqual(['waiting', ...shown(first, second)])
})

it('holds nothing open for a request that is over', () => {
  const { held, told } = hold()
  held.add(first)
  held.drop()
  held.release()
  expect([vi.getTimerCount(), told]).toEqual([0, []])
  const { held: released } = hold()
  released.release()
  released.drop()
  expect(vi.getTimerCount()).toBe(0)
})
