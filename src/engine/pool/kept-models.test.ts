import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeptModels } from './kept-models.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Kept models of a worker that opening one of `fatal` ends. */
function createKept(...names: string[]) {
  const fatal = new Set<string>()
  const tried: string[] = []
  const released: string[] = []
  const open = async (name: string) => {
    tried.push(name)
    if (!fatal.has(name)) return
    kept.lose()
    throw new Error('the worker has ended')
  }
  const kept: KeptModels = new KeptModels(open, (name) => void released.push(name))
  for (const name of names) kept.add(name)
  return { kept, fatal, tried, released }
}

it('one that ends the worker whenever it is opened keeps no other from being open, and is tried ever more seldom', async () => {
  const { kept, fatal, tried } = createKept('a', 'b')
  fatal.add('a')
  kept.lose()
  await vi.advanceTimersByTimeAsync(999)
  expect(tried).toEqual(['a', 'b'])
  expect(kept.missing).toEqual(['a'])
  await vi.advanceTimersByTimeAsync(600_000)
  // 6 times within the first 31 seconds, then one a minute.
  expect(tried.filter((name) => name === 'a').length).toBeLessThan(20)
  expect(kept.missing).toEqual(['a'])
  fatal.clear()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(kept.missing).toEqual([])
})

it('one that somebody has had opened is there again, and none is opened once the engine is disposed', async () => {
  const { kept, fatal, tried } = createKept('a')
  fatal.add('a')
  kept.lose()
  await vi.advanceTimersByTimeAsync(0)
  kept.add('a')
  await vi.advanceTimersByTimeAsync(60_000)
  expect([tried, kept.missing]).toEqual([['a'], []])
  kept.lose()
  kept.clear()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(tried).toEqual(['a'])
  expect(vi.getTimerCount()).toBe(0)
})

it('one that is removed is not opened again, and closed where that was under way', async () => {
  const { kept, fatal, tried, released } = createKept('a', 'b')
  fatal.add('b')
  kept.lose()
  kept.remove('a')
  await vi.advanceTimersByTimeAsync(0)
  expect([tried, kept.missing, released]).toEqual([['b'], ['b'], ['a']])
  fatal.delete('b')
  vi.advanceTimersByTime(1000)
  await Promise.resolve()
  expect(tried).toEqual(['b', 'b'])
  kept.remove('b')
  await vi.advanceTimersByTimeAsync(600_000)
  expect([tried, kept.missing]).toEqual([['b', 'b'], []])
  expect(released).toEqual(['a', 'b', 'b'])
})
