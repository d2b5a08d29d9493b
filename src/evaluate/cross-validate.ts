import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { type Correction, fitQuestion } from './fit-question.ts'
import type { Outcome } from './outcome.ts'
import { pause } from './pause.ts'

export const FOLDS = 5

/** Outcomes with the probabilities that a correction gives. */
export function correct<T extends Outcome>(outcomes: readonly T[], correction: Correction): T[] {
  return outcomes.map((outcome) => ({
    ...outcome,
    probabilities: toProbabilities(adjustLogits(outcome.probabilities, correction)),
  }))
}

/** An outcome that may say what it is about. */
export interface OutcomeOfText extends Outcome {
  /** See `LabelledRow`; one without is of a text of its own. */
  readonly state?: unknown
}

/** What tells the text of an outcome from others; undefined where it does not say. */
export function textOf({ state }: OutcomeOfText): string | undefined {
  return JSON.stringify(state)
}

/**
 * The outcomes in so many parts, each with all the others; the parts have about the same share of each right answer. Those of one text are in one
 * part: what was fitted to its label elsewhere would know the answer. So parts are empty where there are fewer texts.
 */
export function foldsOf<T extends OutcomeOfText>(outcomes: readonly T[], folds: number): { part: T[]; rest: T[] }[] {
  const sorted = outcomes.toSorted((a, b) => a.gold - b.gold)
  const foldOf = new Map<string, number>()
  const chosen = sorted.map((outcome, index) => {
    const text = textOf(outcome) ?? String(index)
    const fold = foldOf.get(text) ?? foldOf.size % folds
    foldOf.set(text, fold)
    return fold
  })
  return Array.from({ length: folds }, (_, fold) => ({
    part: sorted.filter((_one, index) => chosen[index] === fold),
    rest: sorted.filter((_one, index) => chosen[index] !== fold),
  }))
}

/** What ends a row of fits, and who is told of each. */
export interface FitCourse {
  readonly signal?: AbortSignal | undefined
  /** Is called after every fit. */
  readonly onFit?: (() => void) | undefined
}

/**
 * Each outcome with the probabilities of a correction that was fitted on the other folds, in another order.
 *
 * @throws AbortedError
 */
export async function crossValidate<T extends OutcomeOfText>(
  outcomes: readonly T[],
  { signal, onFit }: FitCourse = {},
): Promise<T[]> {
  const heldOut: T[] = []
  for (const { part, rest } of foldsOf(outcomes, FOLDS)) {
    await pause(signal)
    heldOut.push(...correct(part, await fitQuestion(rest, signal)))
    onFit?.()
  }
  return heldOut
}

/** Mean negative log-likelihood of the right options, in nats. */
export function logLoss(outcomes: readonly Outcome[]): number {
  const total = outcomes.reduce(
    (sum, { probabilities, gold }) => sum - Math.log(Math.max(probabilities[gold]!, 1e-12)),
    0,
  )
  return total / outcomes.length
}
