import { setTimeout as sleep } from 'node:timers/promises'
import { probabilitiesOf } from '../decide/answer.ts'
import { orderlessKey } from '../decide/own-calibration.ts'
import { withFeatures } from '../engine/calls/call-features.ts'
import { Listening } from '../engine/calls/listening.ts'
import type { CallOptions } from '../engine/index.ts'
import { throwIfAborted } from '../errors/aborted-by.ts'
import { type ErrorCode, InvalidRequestError, type TesseraError, toTesseraError } from '../errors/index.ts'
import { createDecisionParser } from '../schemas/decision-request.ts'
import { kindOf } from '../schemas/fault.ts'
import type { DecisionRequestInput } from '../schemas/index.ts'
import type { AnsweredQuestion } from './answered-question.ts'
import type { Decides, EvaluateOptions } from './evaluate-options.ts'
import { inRow, type LabelledQuestion, type LabelledRow, readLabels } from './labelled-rows.ts'

/** A row that could not be answered, although it was asked twice. */
export interface RowFailure {
  /** Place of the row among all, from 0. */
  readonly row: number
  /** Why there is no answer: of memory, of a worker or of a queue, since what is wrong with a row itself ends the work. */
  readonly error: TesseraError
}

/** How rows are asked. */
interface AnswerOptions extends EvaluateOptions {
  /** Features are kept of questions that have so many labelled rows. @defaultValue of none */
  readonly featuresFrom?: number
  /** Whether answers are to be those of the model as it was shipped. @defaultValue false */
  readonly isCalibrating?: boolean
}

/** What came of the rows. */
export interface AnsweredRows {
  readonly answered: AnsweredQuestion[]
  /** Of every row how many labelled questions it has. */
  readonly labels: readonly number[]
  readonly failed: readonly RowFailure[]
  readonly models: readonly string[]
  readonly inputTokens: number
}

/** Failures that another try may not meet; those of all other codes end the work, as every row would. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'insufficient_memory',
  'internal_error',
  'overloaded',
  'rate_limit_error',
  'store_unavailable',
  'worker_crashed',
])
/** So many rows that fail before one is answered say that none will be. */
const MOST_AT_FIRST = 3
/** After so many rows that failed twice, one behind the other, no more are asked again. */
const MOST_AGAIN = 8
const MOST_WAIT_MS = 10_000

/**
 * Asks every row, a few at a time, after all of them were checked. Those that fail for a reason that may be over are asked again at the end, one
 * after the other, so that an hour of answers is not lost for one.
 */
export async function answerRows(
  engine: Decides,
  rows: readonly LabelledRow[],
  { signal, onProgress, concurrency = 2, maxOptions, featuresFrom, isCalibrating = false }: AnswerOptions,
): Promise<AnsweredRows> {
  const labelled = readRows(rows, maxOptions ?? engine.maxOptions)
  const failing = new AbortController()
  const stop = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal])
  const listening = new Listening(onProgress, () => failing.abort())
  let done = 0
  const onRow = () => listening.tell({ done: ++done, total: rows.length })
  const asking = new Asking(engine, { rows, labelled, stop, featuresFrom, isCalibrating, onRow })
  let next = 0
  const work = async () => {
    for (let row = next++; row < rows.length; row = next++) await asking.ask(row)
  }
  const working = Array.from({ length: Math.min(concurrency, rows.length) }, work)
  try {
    await Promise.all(working)
    await asking.askAgain()
    await listening.settled(stop)
  } catch (error) {
    // Where the listener failed, the rows ended because of that.
    listening.throwIfFailed()
    throw error
  } finally {
    // The other rows end with the first that ends the work, and before the caller hears of it.
    failing.abort()
    listening.end()
    await Promise.allSettled(working)
  }
  return { ...asking.result(), labels: labelled.map(({ length }) => length) }
}

interface Work {
  readonly rows: readonly LabelledRow[]
  readonly labelled: readonly LabelledQuestion[][]
  readonly stop: AbortSignal
  readonly featuresFrom: number | undefined
  readonly isCalibrating: boolean
  /** Told of every row that is answered, or given up. */
  readonly onRow: () => void
}

/** The answers to rows as they come, and the rows that have none yet. */
class Asking {
  readonly #engine: Decides
  readonly #work: Work
  readonly #isFrequent: (one: LabelledQuestion) => boolean
  readonly #answers: AnsweredQuestion[][] = []
  readonly #models = new Set<string>()
  #inputTokens = 0
  #failed: RowFailure[] = []

  constructor(engine: Decides, work: Work) {
    this.#engine = engine
    this.#work = work
    this.#isFrequent = countFrequent(work.labelled.flat(), work.featuresFrom)
  }

  /** @throws what ends the work */
  async ask(row: number): Promise<void> {
    try {
      await this.#answer(row)
    } catch (thrown) {
      this.#failed.push({ row, error: this.#passingOf(thrown) })
      const isAnswering = this.#models.size > 0
      if (!isAnswering && this.#failed.length >= Math.min(MOST_AT_FIRST, this.#work.rows.length)) throw thrown
    }
  }

  /** @throws what ends the work */
  async askAgain(): Promise<void> {
    const failed = this.#failed.toSorted((a, b) => a.row - b.row)
    this.#failed = []
    let inARow = 0
    for (const { row, error } of failed) {
      const isWorth = inARow < MOST_AGAIN
      if (isWorth) await waitAfter(error, this.#work.stop)
      const again = isWorth ? await this.#answer(row).catch((thrown) => this.#passingOf(thrown)) : error
      inARow = again ? inARow + 1 : 0
      if (!again) continue
      this.#failed.push({ row, error: again })
      this.#work.onRow()
    }
  }

  result() {
    return {
      answered: this.#answers.flat(),
      failed: this.#failed,
      models: [...this.#models],
      inputTokens: this.#inputTokens,
    }
  }

  async #answer(row: number): Promise<void> {
    const { rows, labelled, stop, isCalibrating, onRow } = this.#work
    throwIfAborted(stop)
    const { labels: _, ...request } = rows[row]!
    const names = labelled[row]!.filter(this.#isFrequent).map(({ name }) => name)
    let features: Readonly<Record<string, Float32Array>> = {}
    const listener = { names, isCalibrating, onFeatures: (read: typeof features) => void (features = read) }
    const response = await decide(this.#engine, request, row, withFeatures({ signal: stop }, listener))
    this.#answers[row] = labelled[row]!.map((one) => ({
      ...one,
      type: one.question.type,
      state: request.state,
      features: Object.hasOwn(features, one.name) ? features[one.name] : undefined,
      probabilities: probabilitiesOf(one.question, response.answers[one.name]!),
    }))
    this.#models.add(response.model)
    this.#inputTokens += response.usage.input_tokens
    onRow()
  }

  /** @throws the same where it ends the work */
  #passingOf(thrown: unknown): TesseraError {
    const error = toTesseraError(thrown)
    if (this.#work.stop.aborted || !PASSING.has(error.code)) throw thrown
    return error
  }
}

/** Where it is said when another try is worth it, that is waited for. */
async function waitAfter(error: TesseraError, stop: AbortSignal): Promise<void> {
  const { retryAfterMs = 0 } = error as { readonly retryAfterMs?: number }
  if (retryAfterMs === 0) return
  try {
    await sleep(Math.min(retryAfterMs, MOST_WAIT_MS), undefined, { signal: stop })
  } catch {
    // Who asks next says that it was stopped.
  }
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
async function decide(engine: Decides, request: DecisionRequestInput, index: number, call: CallOptions) {
  try {
    return await engine.decide(request, call)
  } catch (thrown) {
    const isOfRow = InvalidRequestError.isInstance(thrown) && Object.hasOwn(request, thrown.loc[0] ?? '')
    throw isOfRow ? inRow(thrown, index) : thrown
  }
}

/** Tells the questions that have so many labelled rows. */
function countFrequent(labelled: readonly LabelledQuestion[], least = Infinity): (one: LabelledQuestion) => boolean {
  const counts = new Map<string, number>()
  // Models that have features do not look at the order of options.
  for (const { question } of labelled) counts.set(orderlessKey(question), (counts.get(orderlessKey(question)) ?? 0) + 1)
  return ({ question }) => counts.get(orderlessKey(question))! >= least
}
