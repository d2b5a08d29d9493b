import { expect, it } from 'vitest'
import { compareEvaluations, type Evaluation } from './index.ts'

it.each([
  [0, 0, 20, 0.089],
  [5, 0, 5, 0.722],
  [0, 5, 5, 0.722],
  [60, 40, 1000, 0.0196],
])('%d and %d of %d questions that one model alone has right leave a margin', (one, other, n, margin) => {
  const at = Array.from({ length: n }, (_, index) => index)
  const first = { right: at.map((index) => index < one || index >= one + other) } as unknown as Evaluation
  const second = { right: at.map((index) => index >= one) } as unknown as Evaluation
  const compared = compareEvaluations(first, second)
  expect(compared).toMatchObject({ onlyFirst: one, onlySecond: other, difference: (one - other) / n })
  expect(compared.margin).toBeCloseTo(margin, 3)
})
