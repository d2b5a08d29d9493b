import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { type Correction, fitQuestion } from './fit-question.ts'
import type { Outcome } from './outcome.ts'

const FOLDS = 5

/** Outcomes with the probabilities that a correction gives. */
function correct<T extends Outcome>(outcomes: readonly T[], correction: Correction): T[] {
  return outcomes.map((outcome) => ({
    ...outcome,
    probabilities: toProbabilities(adjustLogits(outcome.probabilities, correction)),
  }))
}

/**
 * Each outcome with the probabilities of a correction that was fitted on the other folds, in another order. The folds have
 * about the same share of each right answer.
 */
export function crossValidate<T extends Outcome>(outcomes: readonly T[]): T[] {
  const sorted = outcomes.toSorted((a, b) => a.gold - b.gold)
  return Array.from({ length: FOLDS }, (_, fold) => {
    const isIn = (_one: T, index: number) => index % FOLDS === fold
    const rest = sorted.filter((one, index) => !isIn(one, index))
    return correct(sorted.filter(isIn), fitQuestion(rest))
  }).flat()
}

/** Mean negative log-likelihood of the right options, in nats. */
export function logLoss(outcomes: readonly Outcome[]): number {
  const total = outcomes.reduce(
    (sum, { probabilities, gold }) => sum - Math.log(Math.max(probabilities[gold]!, 1e-12)),
    0,
  )
  return total / outcomes.length
}
