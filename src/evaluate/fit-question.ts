import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import type { Outcome } from './outcome.ts'

/** How the probabilities of one question are corrected; nothing changes with a temperature of 1 and biases of 0. */
export interface Correction {
  readonly temperature: number
  /** One per option, added to its logit. */
  readonly bias: number[]
}

/**
 * Standard deviations of the normal priors, in logits: how far a correction goes from the shipped calibration without
 * many rows that ask for it. With 30 rows a scale of 0.7 or a bias of 0.4 is about half believed.
 */
export const PRIOR = { scale: 0.5, bias: 0.5 }
const STEPS = 400

/**
 * The correction of largest posterior probability: least negative log-likelihood of the right options plus the priors,
 * which is convex in the scale (1 / temperature) and the biases. A noul has one bias, on yes; a choice one per option; a
 * score a tilt from the first level to the last, so that levels without rows move with their neighbours.
 *
 * @param outcomes of one question, all with the same options
 */
export function fitQuestion(outcomes: readonly Outcome[]): Correction {
  const { type, probabilities } = outcomes[0]!
  const features = biasFeatures(type, probabilities.length)
  const weights = [1, ...features[0]!.map(() => 0)]
  const logits = outcomes.map((outcome) => adjustLogits(outcome.probabilities, { temperature: 1, bias: [] }))
  let step = 1 / outcomes.length
  let current = objective(weights, logits, outcomes, features)
  for (let round = 0; round < STEPS; round++) {
    const next = weights.map((weight, index) => weight - step * current.gradient[index]!)
    // A scale of 0 or less would turn the answers round.
    next[0] = Math.max(0.05, next[0]!)
    const moved = objective(next, logits, outcomes, features)
    if (moved.value > current.value) {
      step /= 2
      continue
    }
    const gain = current.value - moved.value
    weights.splice(0, weights.length, ...next)
    current = moved
    step *= 1.5
    if (gain < 1e-9) break
  }
  return { temperature: 1 / weights[0]!, bias: features.map((row) => dot(row, weights.slice(1))) }
}

/** Negative log-likelihood with priors, and its gradient by scale and biases. */
function objective(
  [scale = 1, ...bias]: readonly number[],
  logits: readonly (readonly number[])[],
  outcomes: readonly Outcome[],
  features: readonly (readonly number[])[],
): { value: number; gradient: number[] } {
  let value = (scale - 1) ** 2 / (2 * PRIOR.scale ** 2) + dot(bias, bias) / (2 * PRIOR.bias ** 2)
  const gradient = [(scale - 1) / PRIOR.scale ** 2, ...bias.map((weight) => weight / PRIOR.bias ** 2)]
  const shift = features.map((row) => dot(row, bias))
  for (const [index, z] of logits.entries()) {
    const { gold } = outcomes[index]!
    const p = toProbabilities(z.map((logit, option) => scale * logit + shift[option]!))
    value -= Math.log(Math.max(p[gold]!, 1e-300))
    for (const [option, probability] of p.entries()) {
      const excess = probability - (option === gold ? 1 : 0)
      gradient[0]! += excess * z[option]!
      for (const [feature, strength] of features[option]!.entries()) gradient[feature + 1]! += excess * strength
    }
  }
  return { value, gradient }
}

/** For each option how strongly each bias acts on it [K, biases]. */
export function biasFeatures(type: Outcome['type'], options: number): number[][] {
  const indexes = Array.from({ length: options }, (_, index) => index)
  if (type === 'noul') return [[1], [0]]
  if (type === 'score') return indexes.map((level) => [(2 * level) / (options - 1) - 1])
  return indexes.map((option) => indexes.map((other) => (other === option ? 1 : 0)))
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * b[index]!, 0)
}
