import { confidenceOf, coverageCurve } from './coverage.ts'
import { isRight, type Outcome } from './outcome.ts'

/** The `min_confidence` below which answers are better left to somebody else. */
export interface Threshold {
  /** The `min_confidence` to set, 0 to 1. */
  readonly minConfidence: number
  /** Share of answers that stay decided. */
  readonly coverage: number
  /** Share of those that are wrong, and its 95 % interval. */
  readonly error: number
  /** The 95 % interval of that error, 0 to 1. */
  readonly interval: readonly [low: number, high: number]
}

/**
 * The lowest threshold whose decided answers are wrong no more often than wanted. The interval says how much that means:
 * 40 answers without a mistake still leave room for an error of 9 %.
 *
 * @param outcomes whose probabilities were made without looking at their own labels
 * @param error wanted share of wrong answers, 0 to 1
 * @returns undefined where not even the surest answers are right often enough
 */
export function findThreshold(outcomes: readonly Outcome[], error: number): Threshold | undefined {
  const point = coverageCurve(outcomes).findLast((candidate) => candidate.error <= error)
  if (!point) return undefined
  const decided = outcomes.filter((outcome) => confidenceOf(outcome) >= point.threshold)
  const wrong = decided.filter((outcome) => !isRight(outcome)).length
  return {
    minConfidence: point.threshold,
    coverage: point.coverage,
    error: point.error,
    interval: wilsonInterval(wrong, decided.length),
  }
}

/** Wilson's 95 % interval of a share, which holds for few cases and for shares near 0 and 1. */
export function wilsonInterval(hits: number, n: number): [low: number, high: number] {
  const z2 = 1.96 ** 2
  const share = hits / n
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n)
  const half = (1.96 / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n ** 2))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
