import { type OwnCalibration, type OwnQuestion, questionKey } from '../decide/own-calibration.ts'
import type { Engine } from '../engine/index.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { amount, readOption } from '../options/index.ts'
import { crossValidate, logLoss } from './cross-validate.ts'
import { type AnsweredQuestion, answerRows, type EvaluateOptions } from './evaluate.ts'
import { fitQuestion } from './fit-question.ts'
import type { LabelledRow } from './labelled-rows.ts'
import { groupBy, measure, type Metrics } from './metrics.ts'
import { findThreshold, type Threshold } from './threshold.ts'

/** An engine without a calibration of its own: its answers are what is corrected. */
export type Calibrates = Pick<Engine, 'decide' | 'models'>

/** What `calibrate` may be told beside its rows. */
export interface CalibrateOptions extends EvaluateOptions {
  /**
   * Share of decided answers that may be wrong, 0 to 1, that thresholds are looked for. @defaultValue 0.05
   *
   * @example
   * ```ts
   * const { questions } = await calibrate(engine, rows, { error: 0.02 })
   * ```
   */
  readonly error?: number
}

/** How one question was calibrated. All figures are cross-validated: no answer is judged by a fit on its own label. */
export interface QuestionCalibration {
  /** Name of the question in the rows. */
  readonly name: string
  /**
   * `fitted`: the correction is in the calibration. `kept`: it made held-out answers no better, so the shipped calibration
   * stays. `too few`: below ten rows, or all with the same right answer.
   */
  readonly status: 'fitted' | 'kept' | 'too few'
  /** Labelled rows of the question. */
  readonly rows: number
  /** True below 30 rows, where the figures say little. */
  readonly few: boolean
  /** Figures of the model as it was shipped; `logLoss` is the mean of `-log p` of the right answers. */
  readonly before: Metrics & { readonly logLoss: number }
  /** Figures of what the calibration gives from now on. */
  readonly after: Metrics & { readonly logLoss: number }
  /** Absent where not even the surest answers are right often enough. */
  readonly threshold?: Threshold
}

/** What `calibrate` has fitted, and what it is worth. */
export interface CalibrationResult {
  /** The calibration for `createEngine({ calibration })`; it can be kept in a file as JSON. */
  readonly calibration: OwnCalibration
  /** One entry for each question, in the order in which rows have them. */
  readonly questions: readonly QuestionCalibration[]
}

/** With fewer rows a fit follows chance. */
const LEAST_ROWS = 10
const ENOUGH_ROWS = 30

/**
 * Fits temperature and biases of each question to labelled rows of your own, drawn towards the shipped calibration where
 * rows are few, and finds the `min_confidence` for a wanted share of errors. A question is known by its instructions and
 * criteria; another wording is another question.
 *
 * @example
 * const { calibration, questions } = await calibrate(engine, rows, { error: 0.05 })
 * await writeFile('calibration.json', JSON.stringify(calibration))
 * const better = await createEngine({ calibration })
 *
 * @throws InvalidRequestError naming the row and field of a bad label, AbortedError, and what `decide` throws
 */
export async function calibrate(
  engine: Calibrates,
  rows: readonly LabelledRow[],
  options: CalibrateOptions = {},
): Promise<CalibrationResult> {
  const { error = 0.05 } = options
  readOption('error', amount(0, 1), error)
  const { answered, model } = await answerRows(engine, rows, options)
  const fits = [...groupBy(answered, ({ question }) => questionKey(question)).values()].map((outcomes) =>
    calibrateQuestion(outcomes, error),
  )
  return {
    calibration: {
      format: 'tessera-calibration-1',
      model: await identify(engine, model),
      questions: fits.flatMap(({ correction }) => (correction ? [correction] : [])),
    },
    questions: fits.map(({ report }) => report),
  }
}

function calibrateQuestion(
  outcomes: readonly AnsweredQuestion[],
  error: number,
): { report: QuestionCalibration; correction?: OwnQuestion } {
  const { name, question } = outcomes[0]!
  const rows = outcomes.length
  const judge = (some: readonly AnsweredQuestion[]) => ({ ...measure(some), logLoss: logLoss(some) })
  const hasBoth = new Set(outcomes.map(({ gold }) => gold)).size > 1
  const heldOut = rows >= LEAST_ROWS && hasBoth ? crossValidate(outcomes) : outcomes
  const isBetter = logLoss(heldOut) < logLoss(outcomes)
  const used = isBetter ? heldOut : outcomes
  const threshold = findThreshold(used, error)
  const report: QuestionCalibration = {
    name,
    status: heldOut === outcomes ? 'too few' : isBetter ? 'fitted' : 'kept',
    rows,
    few: rows < ENOUGH_ROWS,
    before: judge(outcomes),
    after: judge(used),
    ...(threshold && { threshold }),
  }
  if (!isBetter) return { report }
  const { type, instructions, criteria } = question
  return { report, correction: { question: { type, instructions, criteria }, rows, ...fitQuestion(outcomes) } }
}

/** The file names the model, so that it is refused for another one. */
async function identify(engine: Calibrates, answering: string): Promise<OwnCalibration['model']> {
  const identity = (await engine.models()).map((model) => model.identity).find((model) => model?.id === answering)
  if (identity) return identity
  throw new InvalidRequestError(
    'engine',
    `must list the model '${answering}' that answers with its version, weights and template`,
  )
}
