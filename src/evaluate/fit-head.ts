import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { headLogits } from '../decide/question-head.ts'
import { biasFeatures, type Correction, PRIOR } from './fit-question.ts'
import { minimize, type Slope } from './minimize.ts'
import type { Outcome } from './outcome.ts'
import { createPauses, type Pauses } from './pause.ts'

/** An outcome with what the model's scorer read. */
export interface HeadedOutcome extends Outcome {
  /** See `DecisionOutput` [K + 1, width]. */
  readonly features: Float32Array
}

/** A correction with a head. */
export interface HeadedCorrection extends Correction {
  /** Numbers of a hidden state. */
  readonly width: number
  /** [K, 2 · width] */
  readonly weights: Float32Array
}

const STEPS = 100
/** A share of the value below which a step is the last: heads of 300 rows, fitted to 1e-9, were right as often on others. */
const TOLERANCE = 1e-5

/** What the fit of one question goes by. */
interface Problem {
  readonly outcomes: readonly HeadedOutcome[]
  /** Of each outcome [K]. */
  readonly logits: readonly (readonly number[])[]
  /** For each option how strongly each bias acts on it [K, biases]. */
  readonly biases: readonly (readonly number[])[]
  readonly spread: Spread
  readonly width: number
  readonly strength: number
  readonly pauses: Pauses
}

/** How far a fit goes. */
interface FitOptions {
  /** See {@link minimize}. */
  readonly tolerance?: number
  readonly steps?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The correction of `fitQuestion` and a linear head beside it, fitted at once: least negative log-likelihood of the right options, plus the priors
 * of temperature and biases, plus `strength` times the sum of the head's squared weights on features that are centred and of length about 1.
 *
 * @param outcomes of one question, all with the same options
 * @param strength greater than 0; how strongly the head is drawn to nothing
 * @throws AbortedError
 */
export async function fitHead(
  outcomes: readonly HeadedOutcome[],
  strength: number,
  { tolerance = TOLERANCE, steps = STEPS, signal }: FitOptions = {},
): Promise<HeadedCorrection> {
  const { type, probabilities, features } = outcomes[0]!
  const options = probabilities.length
  const width = features.length / (options + 1)
  const biases = biasFeatures(type, options)
  const logits = outcomes.map((outcome) => adjustLogits(outcome.probabilities, { temperature: 1, bias: [] }))
  const spread = spreadOf(outcomes, width)
  const problem = { outcomes, logits, biases, spread, width, strength, pauses: createPauses(signal) }
  const start = new Float64Array(1 + biases[0]!.length + options * 2 * width)
  const least = await minimize((point) => slopeOf(problem, point), start, steps, tolerance)
  const { scale, shift, head } = split(least, problem)
  const weights = Float32Array.from(head, (weight) => weight / spread.size)
  const middleAdds = headLogits(spread.middle, weights, width)
  return { temperature: 1 / scale, bias: shift.map((bias, option) => bias - middleAdds[option]!), width, weights }
}

/** What features are centred and scaled by. */
interface Spread {
  readonly middle: Float32Array
  readonly size: number
}

/**
 * The mean of the features [K + 1, width], and how far they are from it: the root of the mean square, over outcomes and options, of the length of
 * what the head reads of an option. Hidden states are long vectors that differ little from text to text.
 */
function spreadOf(outcomes: readonly HeadedOutcome[], width: number): Spread {
  const middle = new Float64Array(outcomes[0]!.features.length)
  for (const { features } of outcomes) {
    for (let at = 0; at < middle.length; at++) middle[at]! += features[at]! / outcomes.length
  }
  const options = middle.length / width - 1
  let total = 0
  for (const { features } of outcomes) {
    // The question's row is read for every option.
    for (let at = 0; at < middle.length; at++) total += (at < width ? options : 1) * (features[at]! - middle[at]!) ** 2
  }
  // Where all features are the same, nothing can be read from them.
  return { middle: Float32Array.from(middle), size: Math.sqrt(total / (outcomes.length * options)) || 1 }
}

/** The logarithm of the scale, the biases, then the head: [1 + biases + K · 2 · width]. A scale stays positive so, and answers the right way round. */
function split(point: Float64Array, { biases }: Problem) {
  const first = 1 + biases[0]!.length
  const own = point.subarray(1, first)
  return {
    scale: Math.exp(point[0]!),
    own,
    shift: biases.map((row) => row.reduce((sum, by, index) => sum + by * own[index]!, 0)),
    head: point.subarray(first),
  }
}

/**
 * The features are read as they are, and what the head would make of centred and scaled ones is worked out before and behind them: a copy of all that is so
 * would take as much memory again, gigabytes of some ten thousand rows.
 */
async function slopeOf(problem: Problem, point: Float64Array): Promise<Slope> {
  const { outcomes, logits, biases, spread, width, strength, pauses } = problem
  const { scale, own, shift, head } = split(point, problem)
  const gradient = new Float64Array(point.length)
  const weights = head.map((weight) => weight / spread.size)
  const middleAdds = headLogits(spread.middle, weights, width)
  const excesses = new Float64Array(shift.length)
  const read = new Float64Array(head.length)
  let value = (scale - 1) ** 2 / (2 * PRIOR.scale ** 2) + square(own) / (2 * PRIOR.bias ** 2) + strength * square(head)
  let byScale = (scale - 1) / PRIOR.scale ** 2
  for (const [index, weight] of own.entries()) gradient[1 + index] = weight / PRIOR.bias ** 2
  for (const [index, { gold, features }] of outcomes.entries()) {
    const pausing = pauses()
    if (pausing) await pausing
    const z = logits[index]!
    const added = headLogits(features, weights, width)
    const corrected = z.map((logit, k) => scale * logit + shift[k]! + added[k]! - middleAdds[k]!)
    // A step may be so long that the scale overflows: no such point is the least.
    if (!corrected.every(Number.isFinite)) return { value: Infinity, gradient }
    const p = toProbabilities(corrected)
    value -= Math.log(Math.max(p[gold]!, 1e-300))
    for (const [k, probability] of p.entries()) {
      const excess = probability - (k === gold ? 1 : 0)
      byScale += excess * z[k]!
      for (const [bias, by] of biases[k]!.entries()) gradient[1 + bias]! += excess * by
      excesses[k]! += excess
      addRows(read, features, { option: k, width, factor: excess })
    }
  }
  for (const [option, excess] of excesses.entries()) addRows(read, spread.middle, { option, width, factor: -excess })
  for (const [at, weight] of head.entries())
    gradient[1 + own.length + at] = 2 * strength * weight + read[at]! / spread.size
  gradient[0] = byScale * scale
  return { value, gradient }
}

/** Adds `factor` times the question's and the option's features to what belongs to this option. */
function addRows(
  gradient: Float64Array,
  features: Float32Array,
  { option, width, factor }: { option: number; width: number; factor: number },
): void {
  const question = 2 * width * option
  const row = width * (option + 1)
  for (let at = 0; at < width; at++) {
    gradient[question + at]! += factor * features[at]!
    gradient[question + width + at]! += factor * features[row + at]!
  }
}

function square(values: Float64Array): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) sum += values[at]! ** 2
  return sum
}
