import { expect, it } from 'vitest'
import { rankCorrelation } from './rank-correlation.ts'

// Values of scipy.stats.spearmanr.
it.each([
  [[1, 2, 3, 4], [10, 20, 30, 40], 1],
  [[1, 2, 3, 4], [4, 3, 2, 1], -1],
  [[1, 2, 2, 3, 5], [2, 1, 3, 3, 9], 0.763158],
  [[0.1, 0.4, 0.4, 0.4, 0.9], [0, 0, 1, 1, 1], 0.645497],
])('agrees with SciPy (%#)', (a, b, expected) => {
  expect(rankCorrelation(a, b)).toBeCloseTo(expected, 5)
})

it('is undefined where one side does not vary', () => {
  expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeUndefined()
})
