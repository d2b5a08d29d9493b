import { expect, it } from 'vitest'
import { toProbabilities } from '../decide/calibrate.ts'
import { type Correction, fitQuestion, PRIOR } from './fit-question.ts'
import type { Outcome } from './outcome.ts'

/** Outcomes of a choice whose logits are so far apart; every third is right, the others are anything. */
function overconfident(rows: number, options: number, deviation: number): Outcome[] {
  let state = 143
  const draw = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  const normal = () => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw())
  return Array.from({ length: rows }, (_, row) => {
    const probabilities = toProbabilities(Array.from({ length: options }, () => deviation * normal()))
    const top = probabilities.indexOf(Math.max(...probabilities))
    return { type: 'choice', probabilities, gold: row % 3 === 0 ? top : Math.floor(draw() ** 2 * options) }
  })
}

/** What the fit makes least, by the scale and the biases. */
function penalised(outcomes: readonly Outcome[], [scale = 1, ...bias]: readonly number[]): number {
  const priors = ((scale - 1) / PRIOR.scale) ** 2 / 2 + bias.reduce((sum, by) => sum + (by / PRIOR.bias) ** 2 / 2, 0)
  return outcomes.reduce((sum, { probabilities, gold }) => {
    const p = toProbabilities(probabilities.map((of, k) => scale * Math.log(Math.max(of, 1e-12)) + bias[k]!))
    return sum - Math.log(p[gold]!)
  }, priors)
}

/** How steep that is at a correction, by each of its numbers. */
function slopes(outcomes: readonly Outcome[], { temperature, bias }: Correction): number[] {
  const point = [1 / temperature, ...bias]
  const step = 1e-5
  return point.map((_, index) => {
    const [above, below] = [step, -step].map((by) => penalised(outcomes, point.with(index, point[index]! + by)))
    return (above! - below!) / (2 * step)
  })
}

it.each([
  [2, 4],
  [20, 12],
  [26, 20],
])(
  'the fit of %d options whose logits deviate by %d ends where nothing is to be gained',
  async (options, deviation) => {
    const outcomes = overconfident(400, options, deviation)
    const most = Math.max(...slopes(outcomes, await fitQuestion(outcomes)).map(Math.abs))
    expect(most).toBeLessThan(0.02)
  },
)

it('a fit to labels that contradict the answers turns no answer round', async () => {
  const outcomes = overconfident(200, 4, 8).map((outcome): Outcome => {
    const { probabilities } = outcome
    return { ...outcome, gold: probabilities.indexOf(Math.min(...probabilities)) }
  })
  const { temperature, bias } = await fitQuestion(outcomes)
  expect(temperature).toBeCloseTo(20, 3)
  expect(bias.every(Number.isFinite)).toBe(true)
})
