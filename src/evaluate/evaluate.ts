import { probabilitiesOf } from '../decide/answer.ts'
import { orderlessKey } from '../decide/own-calibration.ts'
import { withFeatures } from '../engine/calls/call-features.ts'
import { Listening } from '../engine/calls/listening.ts'
import type { CallOptions, Engine } from '../engine/index.ts'
import { AbortedError, InvalidRequestError } from '../errors/index.ts'
import { callback, count, optionTable, readOption, readOptions, withMethods } from '../options/index.ts'
import { createDecisionParser } from '../schemas/decision-request.ts'
import { kindOf } from '../schemas/fault.ts'
import { type DecisionRequestInput, LIMITS, type Question } from '../schemas/index.ts'
import type { AnsweredQuestion } from './answered-question.ts'
import { type Confusion, countConfusions } from './confusion.ts'
import { type CoveragePoint, coverageCurve } from './coverage.ts'
import { alignOptions } from './group-by-question.ts'
import { inRow, type LabelledQuestion, type LabelledRow, optionNames, readLabels } from './labelled-rows.ts'
import { groupBy, measure, type Metrics, type ReliabilityBin, reliabilityBins } from './metrics.ts'
import { isRight } from './outcome.ts'

/** What answers decisions: an engine of this library, or anything else with the same method; `maxOptions` is what it takes. */
export type Decides = Pick<Engine, 'decide' | 'maxOptions'>

/** What `evaluate` may be told beside its rows. */
export interface EvaluateOptions {
  /**
   * Stops it; rejects with AbortedError.
   *
   * @example
   * ```ts
   * const { overall } = await evaluate(engine, rows, { signal: AbortSignal.timeout(60_000) })
   * ```
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Called after every row. What it throws ends the evaluation, also as an async function, which is waited for at the end only.
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { onProgress: ({ done, total }) => console.error(`${done} of ${total}`) })
   * ```
   */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined
  /**
   * Rows that are asked at the same time, 1 or more. @defaultValue 2
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { concurrency: 8 })
   * ```
   */
  readonly concurrency?: number | undefined
  /**
   * Most options of a choice, 2 or more: rows that have more are refused before any is asked. @defaultValue those of the engine
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { maxOptions: 10 })
   * ```
   */
  readonly maxOptions?: number | undefined
}

export const EVALUATE = {
  signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional(),
  onProgress: callback<NonNullable<EvaluateOptions['onProgress']>>().optional(),
  concurrency: count(1).default(2),
  maxOptions: count(LIMITS.options.min).optional(),
} satisfies Record<keyof EvaluateOptions, unknown>

const OPTIONS = optionTable('evaluate', EVALUATE)
const DECIDES = withMethods<Decides>('an engine, with decide', 'decide')

/** How well one question was answered, by its name in the rows. */
export interface QuestionEvaluation extends Metrics {
  /** Type of the question: `noul`, `choice` or `score`. */
  readonly type: Question['type']
  /** Absent where the rows ask the question with different options. */
  readonly confusion?: Confusion
  /** What share is decided at which error, by threshold. */
  readonly coverage: readonly CoveragePoint[]
}

/** How a model answers labelled rows. */
export interface Evaluation {
  /** The model that answered, or the models where rows name several. */
  readonly model: string
  /** Labelled rows that were answered. */
  readonly rows: number
  /** Figures over all questions of all rows. */
  readonly overall: Metrics
  /** Figures of each question by its name. */
  readonly questions: Readonly<Record<string, QuestionEvaluation>>
  /** What share of all questions is decided at which error, by threshold. */
  readonly coverage: readonly CoveragePoint[]
  /** How often answers of each confidence are right: 15 bins of equal width, without the empty ones. */
  readonly reliability: readonly ReliabilityBin[]
  /** Tokens that were read, and the time it took. */
  readonly cost: {
    /** Tokens of all requests, as `usage` counts them. */
    readonly inputTokens: number
    /** Time of all requests together, by the clock. */
    readonly seconds: number
  }
  /** Whether each labelled question was answered right, in the order of the rows; `compareEvaluations` compares two models by it. */
  readonly right: readonly boolean[]
}

/** How rows are asked. */
interface AnswerOptions extends EvaluateOptions {
  /** Features are kept of questions that have so many labelled rows. @defaultValue of none */
  readonly featuresFrom?: number
  /** Whether answers are to be those of the model as it was shipped. @defaultValue false */
  readonly isCalibrating?: boolean
}

/**
 * Asks labelled rows and measures the answers: accuracy, Brier score, calibration, per question a confusion table and how
 * the error falls where unsure answers are left to somebody else.
 *
 * @example
 * const { overall } = await evaluate(engine, [
 *   { state: 'Where is my parcel?', questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } }, labels: { angry: false } },
 * ])
 * console.log(overall.accuracy, overall.majority)
 *
 * @throws InvalidRequestError naming the row and field of a bad label, the engine or an option, AbortedError, and what `decide` throws
 */
export async function evaluate(
  engine: Decides,
  rows: readonly LabelledRow[],
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  readOption('engine', DECIDES, engine)
  const started = performance.now()
  const { answered, models, inputTokens } = await answerRows(engine, rows, readOptions(OPTIONS, options))
  const seconds = (performance.now() - started) / 1000
  const aligned = alignOptions(answered)
  return {
    model: models.join(', '),
    rows: rows.length,
    overall: measure(aligned),
    questions: evaluateQuestions(aligned),
    coverage: coverageCurve(aligned),
    reliability: reliabilityBins(aligned),
    cost: { inputTokens, seconds },
    right: aligned.map(isRight),
  }
}

/** Asks every row, a few at a time, after all of them were checked. */
export async function answerRows(
  engine: Decides,
  rows: readonly LabelledRow[],
  { signal, onProgress, concurrency = 2, maxOptions, featuresFrom = Infinity, isCalibrating = false }: AnswerOptions,
): Promise<{ answered: AnsweredQuestion[]; models: readonly string[]; inputTokens: number }> {
  const labelled = readRows(rows, maxOptions ?? engine.maxOptions)
  const isFrequent = countFrequent(labelled.flat(), featuresFrom)
  const answers: AnsweredQuestion[][] = []
  const models = new Set<string>()
  let [next, done, inputTokens] = [0, 0, 0]
  const failing = new AbortController()
  const stop = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal])
  const listening = new Listening(onProgress, () => failing.abort())
  const work = async () => {
    for (let index = next++; index < rows.length; index = next++) {
      if (stop.aborted) throw new AbortedError(undefined, { cause: stop.reason })
      const { labels: _, ...request } = rows[index]!
      const names = labelled[index]!.filter(isFrequent).map(({ name }) => name)
      let features: Readonly<Record<string, Float32Array>> = {}
      const listener = { names, isCalibrating, onFeatures: (read: typeof features) => void (features = read) }
      const response = await ask(engine, request, index, withFeatures({ signal: stop }, listener))
      answers[index] = labelled[index]!.map((one) => ({
        ...one,
        type: one.question.type,
        state: request.state,
        features: Object.hasOwn(features, one.name) ? features[one.name] : undefined,
        probabilities: probabilitiesOf(one.question, response.answers[one.name]!),
      }))
      models.add(response.model)
      inputTokens += response.usage.input_tokens
      listening.tell({ done: ++done, total: rows.length })
    }
  }
  const working = Array.from({ length: Math.min(concurrency, rows.length) }, work)
  try {
    await Promise.all(working)
    await listening.settled(stop)
  } catch (error) {
    // Where the listener failed, the rows ended because of that.
    listening.throwIfFailed()
    throw error
  } finally {
    // The other rows end with the first that fails, and before the caller hears of it.
    failing.abort()
    listening.end()
    await Promise.allSettled(working)
  }
  return { answered: answers.flat(), models: [...models], inputTokens }
}

/** Checks every row before one is asked. */
function readRows(rows: readonly LabelledRow[], maxOptions: number | undefined): LabelledQuestion[][] {
  if (!Array.isArray(rows)) {
    throw new InvalidRequestError('rows', `must be an array of labelled rows, got ${kindOf(rows)}`)
  }
  if (rows.length === 0) throw new InvalidRequestError('rows', 'must have one row at least, got none')
  const parse = createDecisionParser(maxOptions === undefined ? {} : { maxOptions })
  return rows.map((row, index) => readLabels(row, index, parse))
}

/** The model refuses what only it knows, such as a question that is too long for it; options and the engine are none of a row. */
async function ask(engine: Decides, request: DecisionRequestInput, index: number, call: CallOptions) {
  try {
    return await engine.decide(request, call)
  } catch (thrown) {
    const isOfRow = InvalidRequestError.isInstance(thrown) && Object.hasOwn(request, thrown.loc[0] ?? '')
    throw isOfRow ? inRow(thrown, index) : thrown
  }
}

/** Tells the questions that have so many labelled rows. */
function countFrequent(labelled: readonly LabelledQuestion[], least: number): (one: LabelledQuestion) => boolean {
  const counts = new Map<string, number>()
  // Models that have features do not look at the order of options.
  for (const { question } of labelled) counts.set(orderlessKey(question), (counts.get(orderlessKey(question)) ?? 0) + 1)
  return ({ question }) => counts.get(orderlessKey(question))! >= least
}

function evaluateQuestions(answered: readonly AnsweredQuestion[]): Record<string, QuestionEvaluation> {
  const byName = groupBy(answered, ({ name }) => name)
  return Object.fromEntries(
    [...byName].map(([name, outcomes]) => {
      const options = outcomes.map(({ question }) => optionNames(question))
      const isSame = options.every((names) => names.join('\n') === options[0]!.join('\n'))
      const evaluation: QuestionEvaluation = {
        type: outcomes[0]!.type,
        ...measure(outcomes),
        ...(isSame && { confusion: countConfusions(outcomes, options[0]!) }),
        coverage: coverageCurve(outcomes),
      }
      return [name, evaluation]
    }),
  )
}
