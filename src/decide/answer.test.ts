import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Question } from '../schemas/index.ts'
import { answerQuestion } from './answer.ts'
import { bucketOf, type Calibration, calibrateLogits } from './calibrate.ts'

const choice: Question = { type: 'choice', criteria: { a: null, b: 'B', '10': null, '2': null } }
const score: Question = { type: 'score', criteria: ['low', { is: 'object' }, 'high'] }
const noul: Question = { type: 'noul', instructions: 'x' }
const logits = (count: number) =>
  fc.array(fc.double({ min: -40, max: 40, noNaN: true }), { minLength: count, maxLength: count })

describe('answers', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('are none where a logit is %d', (broken) => {
    for (const question of [choice, score, noul]) {
      expect(() => answerQuestion(question, [broken, 1, 2, 3], undefined)).toThrow(
        expect.objectContaining({
          code: 'internal_error',
          message: expect.stringMatching(/weights may hold NaN.*backend 'cpu'/),
        }),
      )
    }
  })

  it('are computed from the very probabilities they carry', () => {
    fc.assert(
      fc.property(logits(4), logits(3), (four, three) => {
        const chosen = answerQuestion(choice, four, undefined)
        const scored = answerQuestion(score, three, undefined)
        if (chosen.type !== 'choice' || scored.type !== 'score') throw new Error('wrong type')
        const p = Object.values(chosen.probabilities)
        expect(Math.abs(p.reduce((sum, one) => sum + one, 0) - 1)).toBeLessThan(1e-12)
        expect((chosen.probabilities as Record<string, number>)[chosen.choice]).toBe(Math.max(...p))
        const levels = Object.values(scored.probabilities)
        expect(scored.score).toBeGreaterThanOrEqual(0)
        expect(scored.score).toBeLessThanOrEqual(2)
        expect(Math.abs(levels.reduce((sum, one, index) => sum + one * index, 0) - scored.score)).toBeLessThan(1e-12)
      }),
    )
  })

  it('return levels as given and option keys byte for byte', () => {
    expect(answerQuestion(score, [0, 0, 0], undefined)).toMatchObject({
      legend: { '0': 'low', '1': { is: 'object' }, '2': 'high' },
      score: 1,
      confidence: 0,
    })
    const answer = answerQuestion(choice, [0, 9, 0, 0], undefined)
    expect(answer.type === 'choice' && Object.keys(answer.probabilities)).toEqual(['2', '10', 'a', 'b'])
  })

  it('carry decided, and noul its confidence, only where a threshold applies; the boundary is inclusive', () => {
    expect(answerQuestion(noul, [1, 0], undefined)).toEqual({ type: 'noul', noul: expect.any(Number) })
    const { confidence } = answerQuestion(noul, [1, 0], 0) as { confidence: number }
    expect(answerQuestion(noul, [1, 0], confidence)).toMatchObject({ decided: true, confidence })
    expect(answerQuestion(noul, [1, 0], confidence + 1e-9)).toMatchObject({ decided: false })
    expect(answerQuestion(noul, [0, 0], 0)).toMatchObject({ decided: true, confidence: 0 })
    expect(answerQuestion(choice, [0, 9, 0, 0], 0.5)).toMatchObject({ decided: true })
    expect(answerQuestion(score, [0, 0, 0], 0.5)).toMatchObject({ decided: false })
  })
})

describe('calibration', () => {
  const buckets = { '2': 1, '3-5': 2, '6-10': 4, '11+': 8 }
  const calibration: Calibration = {
    temperature: { noul: 2, choice: buckets, score: buckets },
    noul_bias: 1,
    samples: 1,
    ece: 0,
  }

  it('divides by the temperature of type and option count, and shifts yes', () => {
    expect(calibrateLogits(noul, Float64Array.of(3, 1), calibration)).toEqual(Float64Array.of(2, 0.5))
    expect(calibrateLogits(choice, Float64Array.of(4, 2, 0, 0), calibration)).toEqual(Float64Array.of(2, 1, 0, 0))
    expect([2, 3, 5, 6, 10, 11, 26].map(bucketOf)).toEqual(['2', '3-5', '3-5', '6-10', '6-10', '11+', '11+'])
  })

  it('never changes which option wins', () => {
    fc.assert(
      fc.property(logits(4), (four) => {
        const before = Float64Array.from(four)
        const after = calibrateLogits(choice, before, calibration)
        // Not the index of the maximum: dividing can round two neighbours to a tie.
        expect(after[before.indexOf(Math.max(...before))]).toBe(Math.max(...after))
      }),
    )
  })
})
