import { optionTable, readOption, readOptions, withMethods } from '../options/index.ts'
import type { Question } from '../schemas/index.ts'
import { type AnsweredRows, answerRows, type RowFailure } from './answer-rows.ts'
import type { AnsweredQuestion } from './answered-question.ts'
import { type Confusion, countConfusions } from './confusion.ts'
import { type CoveragePoint, coverageCurve } from './coverage.ts'
import { type Decides, EVALUATE, type EvaluateOptions } from './evaluate-options.ts'
import { alignOptions } from './group-by-question.ts'
import { type LabelledRow, optionNames } from './labelled-rows.ts'
import { groupBy, measure, type Metrics, type ReliabilityBin, reliabilityBins } from './metrics.ts'
import { isRight } from './outcome.ts'

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
  /** Rows that could not be answered, although they were asked again at the end: all figures are without them. */
  readonly failed: readonly RowFailure[]
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
  /**
   * Whether each labelled question was answered right, in the order of the rows, null where its row could not be answered; `compareEvaluations` compares
   * two models by it.
   */
  readonly right: readonly (boolean | null)[]
}

/**
 * Asks labelled rows and measures the answers: accuracy, Brier score, calibration, per question a confusion table and how
 * the error falls where unsure answers are left to somebody else.
 *
 * Rows that fail for want of memory, with a worker that crashed or in a full queue are asked again at the end, and are in `failed` where they fail again.
 *
 * @example
 * const { overall } = await evaluate(engine, [
 *   { state: 'Where is my parcel?', questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } }, labels: { angry: false } },
 * ])
 * console.log(overall.accuracy, overall.majority)
 *
 * @throws InvalidRequestError naming the row and field of a bad label, the engine or an option, AbortedError, and what `decide` throws of the first
 * rows, or as every row would
 */
export async function evaluate(
  engine: Decides,
  rows: readonly LabelledRow[],
  options: EvaluateOptions = {},
): Promise<Evaluation> {
  readOption('engine', DECIDES, engine)
  const started = performance.now()
  const came = await answerRows(engine, rows, readOptions(OPTIONS, options))
  const seconds = (performance.now() - started) / 1000
  const { models, failed, inputTokens } = came
  const aligned = alignOptions(came.answered)
  return {
    model: models.join(', '),
    rows: rows.length - failed.length,
    failed,
    overall: measure(aligned),
    questions: evaluateQuestions(aligned),
    coverage: coverageCurve(aligned),
    reliability: reliabilityBins(aligned),
    cost: { inputTokens, seconds },
    right: rightByRow(aligned, came),
  }
}

/** Answers that there are none of have their places, so that those of two models are of the same questions. */
function rightByRow(answered: readonly AnsweredQuestion[], { labels, failed }: AnsweredRows): (boolean | null)[] {
  const unanswered = new Set(failed.map(({ row }) => row))
  let next = 0
  return labels.flatMap((count, row) =>
    Array.from({ length: count }, () => (unanswered.has(row) ? null : isRight(answered[next++]!))),
  )
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
