import { describe, expect, it } from 'vitest'
import { drawFloats } from '../../test/helpers/pseudo-random.ts'
import { confidenceOf } from './coverage.ts'
import { isRight, type Outcome } from './outcome.ts'
import { findThreshold, wilsonInterval } from './threshold.ts'

const TRIALS = 200
const WANTED = 0.1

/** Answers of a calibrated model: yes is right as often as it says. */
function draw(name: string, count: number): Outcome[] {
  const logits = drawFloats(name, count, 0, 4)
  const drawn = drawFloats(`${name} labels`, count, 0.5, 0.5)
  return Array.from(logits, (logit, index) => {
    const yes = 1 / (1 + Math.exp(-logit))
    return { type: 'noul', probabilities: [yes, 1 - yes], gold: drawn[index]! < yes ? 0 : 1 }
  })
}

it('is exceeded by about every second threshold among new texts, and its interval holds their error', () => {
  const others = draw('new texts', 20_000).map((one) => ({ confidence: confidenceOf(one), isRight: isRight(one) }))
  let exceeded = 0
  let held = 0
  for (let trial = 0; trial < TRIALS; trial++) {
    const { minConfidence, interval } = findThreshold(draw(`rows ${trial}`, 100), WANTED)!
    const decided = others.filter(({ confidence }) => confidence >= minConfidence)
    const error = decided.filter((one) => !one.isRight).length / decided.length
    if (error > WANTED) exceeded++
    if (error >= interval[0] && error <= interval[1]) held++
  }
  expect(exceeded / TRIALS).toBeGreaterThan(0.4)
  expect(exceeded / TRIALS).toBeLessThan(0.7)
  expect(held / TRIALS).toBeGreaterThan(0.92)
})

describe('thresholds', () => {
  const outcomes = Array.from({ length: 100 }, (_, index): Outcome => {
    const yes = 0.5 + (index + 0.5) / 200
    // Every fourth of the unsure half is wrong.
    return { type: 'noul', probabilities: [yes, 1 - yes], gold: index < 50 && index % 4 === 0 ? 1 : 0 }
  })

  it('are the lowest ones whose answers are wrong as seldom as wanted', () => {
    const threshold = findThreshold(outcomes, 0.05)!
    expect(threshold.error).toBeLessThanOrEqual(0.05)
    expect(threshold.coverage).toBeGreaterThan(0.5)
    const decided = outcomes.filter(({ probabilities }) => 2 * probabilities[0]! - 1 >= threshold.minConfidence)
    expect(decided).toHaveLength(Math.round(threshold.coverage * 100))
    expect(threshold.interval[0]).toBeLessThan(threshold.error)
    expect(threshold.interval[1]).toBeGreaterThan(0.05)
  })

  it('are absent where the surest answers are wrong', () => {
    expect(findThreshold([{ type: 'noul', probabilities: [0.99, 0.01], gold: 1 }], 0.5)).toBeUndefined()
  })

  it('have the interval of Wilson', () => {
    // Values of statsmodels' proportion_confint(method='wilson').
    expect(wilsonInterval(0, 40)).toEqual([0, expect.closeTo(0.0876, 3)])
    expect(wilsonInterval(5, 50)).toEqual([expect.closeTo(0.0435, 3), expect.closeTo(0.2136, 3)])
  })
})
