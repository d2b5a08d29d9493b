import { ORDERLESS_TEMPLATE, type OwnCalibration, type OwnQuestion } from '../decide/own-calibration.ts'
import { writeHead } from '../decide/question-head.ts'
import type { Engine } from '../engine/index.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { amount, optionTable, readOption, readOptions, withMethods } from '../options/index.ts'
import { answerRows, type RowFailure } from './answer-rows.ts'
import type { AnsweredQuestion } from './answered-question.ts'
import { identify, listIdentities } from './calibrated-model.ts'
import { crossValidateHead, HEAD_FITS } from './cross-validate-head.ts'
import { crossValidate, type FitCourse, FOLDS, logLoss, textOf } from './cross-validate.ts'
import { EVALUATE, type EvaluateOptions } from './evaluate-options.ts'
import type { HeadedOutcome } from './fit-head.ts'
import { fitQuestion } from './fit-question.ts'
import { groupByQuestion } from './group-by-question.ts'
import { type LabelledRow, optionNames } from './labelled-rows.ts'
import { measure, type Metrics } from './metrics.ts'
import { findThreshold, type Threshold } from './threshold.ts'

/**
 * An engine of this process; one that has a calibration is asked as if it had none, since the new one takes its place. One over a
 * queue is refused: its workers answer with the calibrations that they have.
 */
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
  readonly error?: number | undefined
}

const OPTIONS = optionTable('calibrate', {
  ...EVALUATE,
  error: amount(0, 1).default(0.05),
} satisfies Record<keyof CalibrateOptions, unknown>)
const CALIBRATES = withMethods<Calibrates>('an engine, with decide and models', 'decide', 'models')

/** Metrics, and the mean of `-log p` of the right answers. */
export interface CalibrationMetrics extends Metrics {
  /** In nats, 0 or more. */
  readonly logLoss: number
}

/**
 * How one question was calibrated. All figures are cross-validated: no answer is judged by a fit on its own label, nor on those of rows with the
 * same state.
 */
export interface QuestionCalibration {
  /** Name of the question in the rows. */
  readonly name: string
  /**
   * `fitted`: the correction is in the calibration. `kept`: it made held-out answers no better, so the shipped calibration
   * stays. `too few`: below ten rows, or all with the same right answer or the same state.
   */
  readonly status: 'fitted' | 'kept' | 'too few'
  /** Labelled rows of the question. */
  readonly rows: number
  /** True below 30 rows, where the figures say little. */
  readonly few: boolean
  /**
   * Whether a head of its own is in the calibration: a linear function of what the model makes of question and options. `no better`: held-out
   * answers gained nothing from it. `too few`: below a hundred rows, or all with the same right answer or the same state. `none`: the model, or the engine, has nothing that a head could read.
   */
  readonly head: 'fitted' | 'no better' | 'too few' | 'none'
  /** Figures of the model as it was shipped. */
  readonly before: CalibrationMetrics
  /** Figures with temperature and biases alone; absent where the rows are too few for them. */
  readonly calibrated?: CalibrationMetrics
  /** Figures with a head beside them, whose strength, or that there is none, is chosen by answers to other rows than it is judged by; absent where none was tried. */
  readonly withHead?: CalibrationMetrics
  /** Figures of what the calibration gives from now on: those of the three with the least `logLoss`. */
  readonly after: CalibrationMetrics
  /** Absent where not even the surest answers are right often enough. */
  readonly threshold?: Threshold
}

/** What `calibrate` has fitted, and what it is worth. */
export interface CalibrationResult {
  /** The calibration for `createEngine({ calibration })`; it can be kept in a file as JSON. */
  readonly calibration: OwnCalibration
  /** One entry for each question, in the order in which rows have them. */
  readonly questions: readonly QuestionCalibration[]
  /** Rows that could not be answered, although they were asked again at the end: nothing is fitted to them. */
  readonly failed: readonly RowFailure[]
}

/** With fewer rows a fit follows chance. */
const LEAST_ROWS = 10
const ENOUGH_ROWS = 30
/** A head has hundreds of weights for each option; with fewer rows none was measured. */
const HEAD_ROWS = 100

/**
 * Fits temperature and biases of each question to labelled rows of your own, drawn towards the shipped calibration where
 * rows are few, and finds the `min_confidence` for a wanted share of errors. From a hundred rows of a question on, models of template `tree-1`
 * (the embedded one) also get a head of its own for it, where that makes held-out answers better. A question is known by its instructions and
 * criteria; another wording, and other options, are another question, as is another order of options of models that look at it.
 *
 * @example
 * const { calibration, questions } = await calibrate(engine, rows, { error: 0.05 })
 * await writeFile('calibration.json', JSON.stringify(calibration))
 * const better = await createEngine({ calibration })
 *
 * @throws InvalidRequestError naming the row and field of a bad label, the engine or an option, AbortedError, and what `decide` throws
 */
export function calibrate(
  engine: Calibrates,
  rows: readonly LabelledRow[],
  options: CalibrateOptions = {},
): Promise<CalibrationResult> {
  return calibrateTelling(engine, rows, options)
}

/**
 * See {@link calibrate}.
 *
 * @param onFit is called after every fit, as heads take minutes where rows are many
 */
export async function calibrateTelling(
  engine: Calibrates,
  rows: readonly LabelledRow[],
  options: CalibrateOptions,
  onFit?: (progress: { readonly done: number; readonly total: number }) => void,
): Promise<CalibrationResult> {
  readOption('engine', CALIBRATES, engine)
  const { error, ...given } = readOptions(OPTIONS, options)
  const identities = await listIdentities(engine)
  const asked = { ...given, featuresFrom: HEAD_ROWS, isCalibrating: true }
  const { answered, models, failed } = await answerRows(engine, rows, asked)
  if (models.length > 1) {
    const reason = `must be answered by one model, got ${models.join(' and ')}; calibrate with the rows of one at a time`
    throw new InvalidRequestError('rows', reason)
  }
  const model = identify(identities, models[0]!)
  const groups = groupByQuestion(answered, model.template === ORDERLESS_TEMPLATE)
  const total = groups.reduce((sum, outcomes) => sum + countFits(outcomes), 0)
  let done = 0
  const course = { signal: given.signal, onFit: () => onFit?.({ done: ++done, total }) }
  const fits: Fitted[] = []
  for (const outcomes of groups) fits.push(await calibrateQuestion(outcomes, error, course))
  return {
    calibration: {
      format: 'tessera-calibration-1',
      model,
      questions: fits.flatMap(({ correction }) => (correction ? [correction] : [])),
    },
    questions: fits.map(({ report }) => report),
    failed,
  }
}

interface Fitted {
  readonly report: QuestionCalibration
  /** Absent where the question stays as shipped. */
  readonly correction?: OwnQuestion
}

async function calibrateQuestion(
  outcomes: readonly AnsweredQuestion[],
  error: number,
  course: FitCourse,
): Promise<Fitted> {
  const { name, question } = outcomes[0]!
  const rows = outcomes.length
  const calibrated = isFittable(outcomes) ? await crossValidate(outcomes, course) : undefined
  const tried = calibrated ? await tryHead(outcomes, course) : 'too few'
  const headed = typeof tried === 'string' ? undefined : tried
  const isBetter = (some: typeof calibrated, than: readonly AnsweredQuestion[]) =>
    some !== undefined && logLoss(some) < logLoss(than)
  const withoutHead = isBetter(calibrated, outcomes) ? calibrated! : outcomes
  const head = headed?.correction && isBetter(headed.heldOut, withoutHead) ? headed.correction : undefined
  const used = head ? headed!.heldOut : withoutHead
  const threshold = findThreshold(used, error)
  const report: QuestionCalibration = {
    name,
    status: calibrated === undefined ? 'too few' : used === outcomes ? 'kept' : 'fitted',
    head: head ? 'fitted' : typeof tried === 'string' ? tried : 'no better',
    rows,
    few: rows < ENOUGH_ROWS,
    before: judge(outcomes),
    ...(calibrated && { calibrated: judge(calibrated) }),
    ...(headed && { withHead: judge(headed.heldOut) }),
    after: judge(used),
    ...(threshold && { threshold }),
  }
  if (used === outcomes) return { report }
  const { type, instructions, criteria } = question
  const { temperature, bias } = head ?? (await fitQuestion(outcomes, course.signal))
  const stored = head && { head: writeHead(head.weights, head.width) }
  const options = type === 'choice' ? { options: optionNames(question) } : {}
  return {
    report,
    correction: { question: { type, instructions, criteria }, ...options, rows, temperature, bias, ...stored },
  }
}

/** Whether there are enough rows, and neither all of one right answer nor of one text. */
function isFittable(outcomes: readonly AnsweredQuestion[]): boolean {
  return outcomes.length >= LEAST_ROWS && areSeveral(outcomes, ({ gold }) => gold) && areSeveral(outcomes, textOf)
}

function countFits(outcomes: readonly AnsweredQuestion[]): number {
  if (!isFittable(outcomes)) return 0
  return FOLDS + (outcomes.length >= HEAD_ROWS && outcomes.every(hasFeatures) ? HEAD_FITS : 0)
}

function areSeveral<T>(all: readonly T[], of: (one: T) => unknown): boolean {
  return new Set(all.map(of)).size > 1
}

function judge(some: readonly AnsweredQuestion[]): CalibrationMetrics {
  return { ...measure(some), logLoss: logLoss(some) }
}

/** A head with what it is worth, or why none can be fitted. */
async function tryHead(outcomes: readonly AnsweredQuestion[], course: FitCourse) {
  if (outcomes.length < HEAD_ROWS) return 'too few'
  return outcomes.every(hasFeatures) ? await crossValidateHead(outcomes, course) : 'none'
}

function hasFeatures(outcome: AnsweredQuestion): outcome is AnsweredQuestion & HeadedOutcome {
  return outcome.features !== undefined
}
