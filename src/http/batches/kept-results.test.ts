import { expect, it, vi } from 'vitest'
import { KeptResults } from './kept-results.ts'

it('a wait for a store that never answers ends when the batch is stopped', async () => {
  const kept = new KeptResults({ keepPart: () => new Promise(() => {}), readParts: async () => [] })
  const controller = new AbortController()
  let waiting = 0
  const add = async (line: number) => {
    waiting++
    await kept.add({ custom_id: `c${line}`, line, response: {} as never }, controller.signal)
    waiting--
  }
  for (let line = 1; line <= 40; line++) void add(line)
  await vi.waitUntil(() => waiting === 9)
  controller.abort()
  await expect.poll(() => waiting).toBe(0)
})
