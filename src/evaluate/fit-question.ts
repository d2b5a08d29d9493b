import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { minimize, type Slope } from './minimize.ts'
import type { Outcome } from './outcome.ts'
import { createPauses, type Pauses } from './pause.ts'

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
/** A share of the value below which a step is the last. */
const TOLERANCE = 1e-10
/** A scale of 0 or less would turn the answers round. Where labels ask for that, every answer is nearly what biases alone say. */
const LEAST_SCALE = 0.05

/** What the fit of one question goes by. */
interface Problem {
  readonly outcomes: readonly Outcome[]
  /** Of each outcome [K]. */
  readonly logits: readonly (readonly number[])[]
  /** For each option how strongly each bias acts on it [K, biases]. */
  readonly features: readonly (readonly number[])[]
  readonly pauses: Pauses
}

/**
 * The correction of largest posterior probability: least negative log-likelihood of the right options plus the priors,
 * which is convex in the scale (1 / temperature) and the biases. A noul has one bias, on yes; a choice one per option; a
 * score a tilt from the first level to the last, so that levels without rows move with their neighbours.
 *
 * @param outcomes of one question, all with the same options
 * @throws AbortedError
 */
export async function fitQuestion(outcomes: readonly Outcome[], signal?: AbortSignal): Promise<Correction> {
  const { type, probabilities } = outcomes[0]!
  const features = biasFeatures(type, probabilities.length)
  const logits = outcomes.map((outcome) => adjustLogits(outcome.probabilities, { temperature: 1, bias: [] }))
  const problem = { outcomes, logits, features, pauses: createPauses(signal) }
  const start = Float64Array.of(Math.log(1 - LEAST_SCALE), ...features[0]!.map(() => 0))
  const least = await minimize((point) => slopeOf(problem, point), start, STEPS, TOLERANCE)
  const { scale, shift } = split(least, problem)
  return { temperature: 1 / scale, bias: shift }
}

/** The logarithm of what the scale has above its least, then the biases: [1 + biases]. */
function split(point: Float64Array, { features }: Problem) {
  const own = Array.from(point.subarray(1))
  return { scale: LEAST_SCALE + Math.exp(point[0]!), own, shift: features.map((row) => dot(row, own)) }
}

/** Negative log-likelihood with priors. */
async function slopeOf(problem: Problem, point: Float64Array): Promise<Slope> {
  const { outcomes, logits, features, pauses } = problem
  const { scale, own, shift } = split(point, problem)
  const gradient = Float64Array.of(0, ...own.map((weight) => weight / PRIOR.bias ** 2))
  let value = (scale - 1) ** 2 / (2 * PRIOR.scale ** 2) + dot(own, own) / (2 * PRIOR.bias ** 2)
  let byScale = (scale - 1) / PRIOR.scale ** 2
  for (const [index, { gold }] of outcomes.entries()) {
    const pausing = pauses()
    if (pausing) await pausing
    const z = logits[index]!
    const corrected = z.map((logit, option) => scale * logit + shift[option]!)
    // A step may be so long that the scale overflows: no such point is the least.
    if (!corrected.every(Number.isFinite)) return { value: Infinity, gradient }
    const p = toProbabilities(corrected)
    value -= Math.log(Math.max(p[gold]!, 1e-300))
    for (const [option, probability] of p.entries()) {
      const excess = probability - (option === gold ? 1 : 0)
      byScale += excess * z[option]!
      for (const [feature, strength] of features[option]!.entries()) gradient[feature + 1]! += excess * strength
    }
  }
  gradient[0] = byScale * (scale - LEAST_SCALE)
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
