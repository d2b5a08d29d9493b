import { toProbabilities } from '../decide/calibrate.ts'
import { adjustLogits } from '../decide/own-calibration.ts'
import { headLogits } from '../decide/question-head.ts'
import { correct, type FitCourse, FOLDS, foldsOf, logLoss, type OutcomeOfText } from './cross-validate.ts'
import { fitHead, type HeadedCorrection, type HeadedOutcome } from './fit-head.ts'
import { type Correction, fitQuestion } from './fit-question.ts'
import { pause } from './pause.ts'

/** How strongly a head may be drawn to nothing, see `fitHead`; undefined is no head. */
const STRENGTHS = [undefined, 0.00001, 0.0001, 0.001, 0.01, 0.1]

/** Fits that it takes to choose a head. */
export const HEAD_FITS = STRENGTHS.length * FOLDS + 1

/** A head that was chosen by cross-validation, and what it is worth. */
export interface ValidatedHead<T> {
  /** Each outcome with the probabilities of a fit on the other parts, in another order. */
  readonly heldOut: T[]
  /** The fit to all outcomes; absent where they ask for no head. */
  readonly correction?: HeadedCorrection
}

/**
 * Fits heads of several strengths to four of five parts each and judges them by the fifth. What answers a part is of the strength, or without
 * the head, that the held-out answers of the other four parts are best with. So the labels of a part are not among those that what answers
 * it is fitted to, nor among those that its strength is judged by; but they were among those of the fits that are judged then.
 *
 * @throws AbortedError
 */
export async function crossValidateHead<T extends HeadedOutcome & OutcomeOfText>(
  outcomes: readonly T[],
  { signal, onFit }: FitCourse = {},
): Promise<ValidatedHead<T>> {
  const folds = foldsOf(outcomes, FOLDS)
  const tried: T[][][] = []
  for (const strength of STRENGTHS) {
    const parts: T[][] = []
    for (const { part, rest } of folds) {
      await pause(signal)
      parts.push(correctHeaded(part, await fit(rest, strength, signal)))
      onFit?.()
    }
    tried.push(parts)
  }
  const heldOut = folds.flatMap((_, fold) => bestOf(tried, (other) => other !== fold).parts[fold]!)
  const { index } = bestOf(tried, () => true)
  const correction = await fit(outcomes, STRENGTHS[index], signal)
  onFit?.()
  return { heldOut, ...(isHeaded(correction) && { correction }) }
}

/** The strength of least loss on some of the parts. */
function bestOf<T extends HeadedOutcome>(
  tried: readonly T[][][],
  isJudge: (fold: number) => boolean,
): { index: number; parts: T[][] } {
  const losses = tried.map((parts) => logLoss(parts.filter((_, fold) => isJudge(fold)).flat()))
  const index = losses.indexOf(Math.min(...losses))
  return { index, parts: tried[index]! }
}

function fit(
  outcomes: readonly HeadedOutcome[],
  strength: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Correction | HeadedCorrection> {
  return strength === undefined ? fitQuestion(outcomes, signal) : fitHead(outcomes, strength, { signal })
}

function isHeaded(correction: Correction): correction is HeadedCorrection {
  return 'weights' in correction
}

function correctHeaded<T extends HeadedOutcome>(
  outcomes: readonly T[],
  correction: Correction | HeadedCorrection,
): T[] {
  if (!isHeaded(correction)) return correct(outcomes, correction)
  const { weights, width } = correction
  return outcomes.map((outcome) => {
    const added = headLogits(outcome.features, weights, width)
    return { ...outcome, probabilities: toProbabilities(adjustLogits(outcome.probabilities, { ...correction, added })) }
  })
}
