import { InvalidRequestError } from '../errors/index.ts'
import type { JobContext } from '../jobs/job-context.ts'
import type { Answer, DecisionRequest, DecisionResponse, Question, Warning } from '../schemas/index.ts'
import { answerQuestion } from './answer.ts'
import { type Calibration, calibrateLogits } from './calibrate.ts'
import type { Tokenizer } from './tokenizer/tokenizer.ts'
import { poolWindows, SHARPNESS, weightedSum, weighWindows } from './windows.ts'

/** A validated request, and of which questions the features are wanted too. */
export interface DecisionJob extends DecisionRequest {
  /** Names of questions. @defaultValue none */
  readonly features?: readonly string[]
}

/** The answers, and the features that were wanted, of models that have them. */
export interface DecisionOutput extends DecisionResponse {
  /**
   * Question name to what the model's scorer reads of it: the hidden state of the question as a whole, then that of each option, [K + 1, width]. Of a
   * state that was read in windows they are pooled as the answers are.
   */
  readonly features?: Readonly<Record<string, Float32Array>>
}

export interface Decider {
  /** Bytes that a request on a state of 1,024 tokens takes beside the model; absent where they are few. */
  readonly workingMemory?: number
  /** Answers a validated request. */
  decide(request: DecisionJob, context: JobContext): Promise<DecisionOutput>
  /** The `usage.input_tokens` that `decide` would report, and its parts; checks the same limits. */
  countTokens(request: DecisionRequest): TokenCount
  /** Uncalibrated logits of every window that each question read, for fitting calibration: [question][window][K]. */
  logits(request: DecisionRequest, context: JobContext): Promise<readonly Float64Array[][]>
  /** Frees the sessions. Safe to call twice. */
  dispose(): Promise<void>
}

/** Tokens of a request: the state once, with its framing, plus each question. Does not depend on how they are executed. */
export interface TokenCount {
  /**
   * What `usage.input_tokens` of the answer will be.
   *
   * @example
   * ```ts
   * const { input_tokens } = await countTokens(request)
   * ```
   */
  readonly input_tokens: number
  /**
   * Tokens of the state with its framing, which are counted once.
   *
   * @example
   * ```ts
   * const { state } = await countTokens(request)
   * ```
   */
  readonly state: number
  /**
   * Question name to tokens.
   *
   * @example
   * ```ts
   * const { questions } = await countTokens(request)
   * const longest = Math.max(...Object.values(questions))
   * ```
   */
  readonly questions: Readonly<Record<string, number>>
}

/** A request as a reader will read it, checked against its limits before any work is done. */
export interface PlannedRequest {
  /** Names and questions of the request, in its order. */
  readonly names: readonly string[]
  readonly questions: readonly Question[]
  /** Tokens of the state with its framing, and of each question, however often they are read. */
  readonly sizes: { readonly state: number; readonly questions: readonly number[] }
}

/** What a model made of the questions of a request, each beside every window of the state that it was read with. */
export interface Reading {
  /** Logits of the options, in order (noul: yes, no): [question][window][K]. */
  readonly logits: readonly Float64Array[][]
  /** See `symbol_mass` of a response; only of models that answer with symbols, and where it was asked for. */
  readonly masses?: readonly number[]
  /** `features` of an output in every window, of the questions for which they were wanted: [question][window][(K + 1) · width]. */
  readonly features?: readonly (readonly Float32Array[])[]
}

/**
 * What a family of models brings to be a decider: how requests are rendered, computed and read out. Calibration, windows,
 * answers and usage are the same for all.
 */
export interface QuestionReader<Plan extends PlannedRequest> {
  /** @throws InvalidRequestError naming the question that the model cannot answer, or whose text does not fit it */
  plan(request: DecisionRequest): Plan
  /**
   * Reads every question in each window of the state. Awaits `context.turn` before every pass, and reports the passes.
   *
   * @param features names of questions whose features are wanted; only some readers have any
   */
  read(plan: Plan, context: JobContext, features: readonly string[]): Promise<Reading>
  /** Safe to call twice. */
  dispose(): Promise<void>
}

export interface DeciderSettings {
  /** `model` of the answers. */
  readonly name: string
  /** What plans are made with; it forgets the text of each. */
  readonly tokenizer: Pick<Tokenizer, 'forget'>
  /** @defaultValue logits stay as they are */
  readonly calibration?: Calibration | undefined
  /** The weight of windows that found something against the others; see `poolWindows`. @defaultValue `SHARPNESS` */
  readonly sharpness?: number
  readonly workingMemory?: number
}

/**
 * Characters of all questions of a request, as JSON: some hundred thousand tokens of a language model. Where words become one token each,
 * whatever their length, a limit of tokens does not keep a few requests from holding a worker for minutes.
 */
const MOST_CHARACTERS = 1_000_000

/** @throws InvalidRequestError */
function requireReadable({ questions }: DecisionRequest): void {
  const { length } = JSON.stringify(questions)
  if (length <= MOST_CHARACTERS) return
  const [most, got] = [MOST_CHARACTERS, length].map((count) => count.toLocaleString('en'))
  throw new InvalidRequestError('questions', `must have at most ${most} characters as JSON, all together, got ${got}`)
}

export function createDecider<Plan extends PlannedRequest>(
  reader: QuestionReader<Plan>,
  { name, tokenizer, calibration, sharpness = SHARPNESS, workingMemory }: DeciderSettings,
): Decider {
  const calibrateAll = (question: Question, windows: readonly Float64Array[]) =>
    windows.map((logits) => calibrateLogits(question, logits, calibration))
  function poolFeatures({ names, questions }: Plan, { logits, features = [] }: Reading): Record<string, Float32Array> {
    const read = names.flatMap((name, index): [string, Float32Array][] => {
      const windows = features[index] ?? []
      if (windows.length === 0) return []
      return [[name, weightedSum(windows, weighWindows(calibrateAll(questions[index]!, logits[index]!), sharpness))]]
    })
    return Object.fromEntries(read)
  }
  function plan(request: DecisionRequest): Plan {
    requireReadable(request)
    try {
      return reader.plan(request)
    } finally {
      tokenizer.forget()
    }
  }
  return {
    ...(workingMemory !== undefined && { workingMemory }),
    countTokens: (request) => countTokens(plan(request)),
    logits: async (request, context) => (await reader.read(plan(request), context, [])).logits,
    async decide({ features = [], ...request }, context) {
      const started = performance.now()
      const planned = plan(request)
      const reading = await reader.read(planned, context, features)
      const { logits: windows, masses } = reading
      const answers = planned.questions.map((question, index): [string, Answer] => {
        const pooled = poolWindows(calibrateAll(question, windows[index]!), sharpness)
        const threshold = question.min_confidence ?? request.min_confidence
        return [planned.names[index]!, answerQuestion(question, pooled, threshold)]
      })
      return {
        model: name,
        answers: Object.fromEntries(answers),
        usage: { input_tokens: countTokens(planned).input_tokens, output_tokens: 0 },
        latency_ms: Math.round(performance.now() - started),
        ...(masses && { symbol_mass: Object.fromEntries(planned.names.map((name, index) => [name, masses[index]!])) }),
        ...(reading.features && { features: poolFeatures(planned, reading) }),
        ...warnOfWindows(planned.names, windows),
      }
    },
    dispose: () => reader.dispose(),
  }
}

function countTokens({ names, sizes: { state, questions } }: PlannedRequest): TokenCount {
  return {
    input_tokens: questions.reduce((sum, size) => sum + size, state),
    state,
    questions: Object.fromEntries(names.map((name, index) => [name, questions[index]!])),
  }
}

/** Says which questions were not read beside the whole state. */
function warnOfWindows(names: readonly string[], read: readonly (readonly Float64Array[])[]): { warnings?: Warning[] } {
  const windows = Math.max(...read.map(({ length }) => length))
  if (windows === 1) return {}
  const affected = names.filter((_, index) => read[index]!.length > 1)
  const which = affected.length === names.length ? 'every question' : `${affected.length} of ${names.length} questions`
  const message = `the state is longer than the model reads at once: ${which} read it in ${windows} windows`
  return { warnings: [{ code: 'read_in_windows', path: 'state', message }] }
}
