import { expect, it } from 'vitest'
import { drawFloats } from '../../test/helpers/pseudo-random.ts'
import { confidenceOf } from './coverage.ts'
import { isRight, type Outcome } from './outcome.ts'
import { findThreshold } from './threshold.ts'

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
