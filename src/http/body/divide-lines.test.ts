import { expect, it } from 'vitest'
import { divideLines } from './divide-lines.ts'

const line = (at: number, length: number) => ({ at, value: 'x'.repeat(length) })

it('lines are sent in parts that are read within milliseconds, each whole, in their order', () => {
  const lines = [line(1, 50_000), line(2, 50_000), line(3, 50_000), line(4, 500_000), { at: 5, refused: 'no' }]
  const parts = divideLines(lines)
  expect(parts.map((part) => part.map(({ at }) => at))).toEqual([[1, 2], [3], [4], [5]])
  expect(parts.flat()).toEqual(lines)
})
