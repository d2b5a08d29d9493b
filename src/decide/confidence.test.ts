import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choiceConfidence, noulConfidence, scoreConfidence } from './confidence.ts'

const distribution = (min: number, max: number) =>
  fc
    .array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: min, maxLength: max })
    .map((weights) => weights.map((weight) => weight / weights.reduce((sum, one) => sum + one, 0)))
const uniform = (count: number) => Array.from({ length: count }, () => 1 / count)
const point = (count: number, at: number) => Array.from({ length: count }, (_, index) => (index === at ? 1 : 0))

describe('confidence', () => {
  it('is exactly 1 at a point mass and exactly 0 at uniform', () => {
    for (let count = 2; count <= 26; count++) {
      expect(choiceConfidence(uniform(count))).toBe(0)
      expect(scoreConfidence(uniform(count))).toBe(0)
      for (let at = 0; at < count; at++) {
        expect(choiceConfidence(point(count, at))).toBe(1)
        expect(scoreConfidence(point(count, at))).toBe(1)
      }
    }
    expect([noulConfidence(0), noulConfidence(0.5), noulConfidence(1)]).toEqual([1, 0, 1])
  })

  it('gives the published examples', () => {
    expect(choiceConfidence([0.88, 0.12, 0])).toBeCloseTo(0.82, 10)
    expect(scoreConfidence([0, 0.95, 0.05])).toBeCloseTo(0.925, 10)
    expect(scoreConfidence([0, 0.6, 0.4, 0, 0])).toBeCloseTo(2 / 3, 10)
    expect(scoreConfidence([0.6, 0, 0, 0, 0.4])).toBe(0)
    expect(choiceConfidence([0.9, 0.1])).toBeCloseTo(noulConfidence(0.9), 12)
  })

  it('stays in 0…1, ignores the order of options, and ignores reversal of levels', () => {
    fc.assert(
      fc.property(distribution(2, 10), (p) => {
        for (const value of [choiceConfidence(p), scoreConfidence(p)]) {
          expect(value).toBeGreaterThanOrEqual(0)
          expect(value).toBeLessThanOrEqual(1)
        }
        expect(choiceConfidence(p.toReversed())).toBeCloseTo(choiceConfidence(p), 12)
        expect(scoreConfidence(p.toReversed())).toBeCloseTo(scoreConfidence(p), 10)
      }),
    )
  })

  it('takes the smaller result where modes tie', () => {
    const tied = [0.4, 0.2, 0.4, 0]
    expect(scoreConfidence(tied)).toBe(scoreConfidence(tied.toReversed()))
  })
})
