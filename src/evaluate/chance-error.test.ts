import { expect, it } from 'vitest'
import { chanceDeviation } from './chance-error.ts'

it('is that of the outcomes that there can be', () => {
  expect(chanceDeviation([])).toBe(0)
  expect(chanceDeviation([1, 1, 0])).toBe(0)
  // One answer: right with 0.9 and then 0.1 too many, else 0.9 too few.
  expect(chanceDeviation([0.9])).toBeCloseTo(2 * 0.9 * 0.1, 12)
  // Two: none with 0.2, both with 0.3, and then each as far from the sum of 1.1 as it is.
  expect(chanceDeviation([0.6, 0.5])).toBeCloseTo(0.2 * 1.1 + 0.5 * 0.1 + 0.3 * 0.9, 12)
})

it('goes over into that of a normal distribution where there are many', () => {
  const spread = (length: number) => Array.from({ length }, (_, index) => 0.2 + (0.7 * index) / length)
  const normal = (values: readonly number[]) =>
    Math.sqrt((2 / Math.PI) * values.reduce((sum, p) => sum + p * (1 - p), 0))
  expect(chanceDeviation(spread(500)) / normal(spread(500))).toBeCloseTo(1, 3)
  expect(chanceDeviation(spread(501))).toBe(normal(spread(501)))
})
