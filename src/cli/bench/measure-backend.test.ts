import { expect, test, vi } from 'vitest'
import { measureBackend } from './measure-backend.ts'

test('measures the embedded model on a backend', async () => {
  const figures = await measureBackend('cpu', { threads: 1, limitMs: 50_000 })
  expect(figures.reason).toBeUndefined()
  expect(figures.decide?.runs).toBeGreaterThanOrEqual(3)
  expect(figures.startup_ms).toBeGreaterThan(0)
  // One of a noul, three of a choice, three of a score.
  expect(figures.probabilities).toHaveLength(7)
})

test('gives the reason instead of figures where a backend does not work or takes too long', async () => {
  const other = process.platform === 'darwin' ? 'dml' : 'coreml'
  expect((await measureBackend(other, { limitMs: 10_000 })).reason).toContain(other)
  const late = await measureBackend('cpu', { threads: 1, limitMs: 1 })
  expect(late.reason).toBe('not done after 0 s')
  expect(late.decide).toBeUndefined()
})

test('has no figure for memory where the process has given back more than it took', async () => {
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockReturnValueOnce(2 ** 50)
  const figures = await measureBackend('cpu', { threads: 1, limitMs: 50_000 })
  rss.mockRestore()
  expect(figures.reason).toBeUndefined()
  expect(figures).not.toHaveProperty('memory_mib')
})
