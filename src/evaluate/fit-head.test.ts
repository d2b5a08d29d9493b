import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { headLogits } from '../decide/question-head.ts'
import { fitHead, type HeadedOutcome } from './fit-head.ts'
import { minimize } from './minimize.ts'

/** What `generate-head-fixtures.py` writes: fits of the recipe's `heads.py`. */
interface Case {
  readonly type: 'noul' | 'choice' | 'score'
  readonly strength: number
  readonly logits: readonly number[][]
  readonly features: readonly number[][][]
  readonly gold: readonly number[]
  readonly scale: number
  readonly bias: readonly number[]
  readonly head: readonly number[][]
  readonly probabilities: readonly number[][]
}

const CASES = JSON.parse(
  readFileSync(new URL('../../test/fixtures/heads.json', import.meta.url), 'utf8'),
) as readonly Case[]
/** The two stop where nothing is gained any more, in other places of a flat valley. */
const TOLERANCE = 1e-3

function outcomesOf({ type, logits, features, gold }: Case): HeadedOutcome[] {
  return logits.map((z, index) => ({
    type,
    probabilities: toProbabilities(z),
    gold: gold[index]!,
    features: Float32Array.from(features[index]!.flat()),
  }))
}

describe('the fit of a head', () => {
  it.each(CASES)('is that of the training code for a $type, to 1e-3', async (one) => {
    const outcomes = outcomesOf(one)
    const { temperature, bias, width, weights } = await fitHead(outcomes, one.strength, {
      tolerance: 1e-12,
      steps: 2000,
    })
    expect(Math.abs(1 / temperature - one.scale)).toBeLessThan(TOLERANCE)
    for (const [option, value] of one.bias.entries()) expect(Math.abs(bias[option]! - value)).toBeLessThan(TOLERANCE)
    const head = one.head.flat()
    expect(weights).toHaveLength(head.length)
    for (const [index, weight] of weights.entries()) {
      expect(Math.abs(weight - head[index]!)).toBeLessThan(TOLERANCE)
    }
    for (const [row, { probabilities, features }] of outcomes.entries()) {
      const added = headLogits(features, weights, width)
      const p = toProbabilities(adjustLogits(probabilities, { temperature, bias, added }))
      for (const [k, value] of one.probabilities[row]!.entries()) {
        expect(Math.abs(p[k]! - value)).toBeLessThan(TOLERANCE)
      }
    }
  })

  it('ends near enough to that with the tolerance and steps that calibrate uses', async () => {
    for (const one of CASES) {
      const outcomes = outcomesOf(one)
      const { temperature, bias, width, weights } = await fitHead(outcomes, one.strength)
      for (const [row, { probabilities, features }] of outcomes.entries()) {
        const added = headLogits(features, weights, width)
        const p = toProbabilities(adjustLogits(probabilities, { temperature, bias, added }))
        for (const [k, value] of one.probabilities[row]!.entries()) expect(Math.abs(p[k]! - value)).toBeLessThan(0.02)
      }
    }
  })

  it('is nearer to nothing the more it is drawn there', async () => {
    const [one] = CASES
    const sizes: number[] = []
    for (const strength of [0.001, 0.1, 10, 1000]) {
      const { weights } = await fitHead(outcomesOf(one!), strength)
      sizes.push(Math.hypot(...weights))
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    expect(sizes.at(-1)).toBeLessThan(0.05)
  })
})

describe('minimize', () => {
  it("finds the end of Rosenbrock's valley", async () => {
    const slopeAt = (point: Float64Array) => {
      const [x = 0, y = 0] = point
      const rise = y - x * x
      return {
        value: (1 - x) ** 2 + 100 * rise ** 2,
        gradient: Float64Array.of(-2 * (1 - x) - 400 * x * rise, 200 * rise),
      }
    }
    const [x, y] = await minimize(slopeAt, Float64Array.of(-1.2, 1), 200, 0)
    expect(x).toBeCloseTo(1, 6)
    expect(y).toBeCloseTo(1, 6)
  })

  it('takes no more steps than it is told', async () => {
    let asked = 0
    const slopeAt = (point: Float64Array) => {
      asked++
      return { value: point[0]! ** 4, gradient: Float64Array.of(4 * point[0]! ** 3) }
    }
    await minimize(slopeAt, Float64Array.of(3), 3)
    expect(asked).toBeLessThan(10)
  })

  it('goes round points at which the scale overflows', async () => {
    let state = 143
    const draw = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * 2 - 1
    const outcomes = Array.from({ length: 27 }, (): HeadedOutcome => {
      const gold = draw() > 0 ? 1 : 0
      const yes = 1 / (1 + Math.exp(10 * draw()))
      // A few features are much larger than the others.
      return {
        type: 'noul',
        probabilities: [yes, 1 - yes],
        gold,
        features: Float32Array.from({ length: 12 }, () => draw() ** 9),
      }
    })
    const { temperature, weights } = await fitHead(outcomes, 0.00001)
    expect(Number.isFinite(temperature) && weights.every(Number.isFinite)).toBe(true)
  })
})
