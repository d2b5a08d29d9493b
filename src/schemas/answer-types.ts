import type { QuestionInput, QuestionsInput, ThresholdInput } from './question-types.ts'
import type { Text } from './read-text.ts'
import type { Warning } from './warning.ts'

/**
 * The answer to a yes/no question.
 *
 * @example
 * ```ts
 * const answer: NoulAnswer = { type: 'noul', noul: 0.93 }
 * ```
 */
export interface NoulAnswer {
  readonly type: 'noul'
  /**
   * Probability of yes, 0 to 1, never rounded.
   *
   * @example
   * ```ts
   * const isYes = (answer: NoulAnswer) => answer.noul > 0.5
   * ```
   */
  readonly noul: number
  /** `|2p - 1|`, 0 for an even chance to 1 for a sure answer; present when a `min_confidence` applies. */
  readonly confidence?: number
  /** `confidence >= min_confidence`; present when one applies. */
  readonly decided?: boolean
}

/**
 * The answer to a choice.
 *
 * @example
 * ```ts
 * const answer: ChoiceAnswer<'billing' | 'tech'> = {
 *   type: 'choice',
 *   choice: 'billing',
 *   probabilities: { billing: 0.93, tech: 0.07 },
 *   confidence: 0.86,
 * }
 * ```
 */
export interface ChoiceAnswer<Option extends string = string> {
  readonly type: 'choice'
  /** The option of the largest probability. */
  readonly choice: Option
  /**
   * One per option, 0 to 1, summing to 1.
   *
   * @example
   * ```ts
   * const byProbability = ({ probabilities }: ChoiceAnswer) => Object.entries(probabilities).sort(([, a], [, b]) => b - a)
   * ```
   */
  readonly probabilities: Readonly<Record<Option, number>>
  /** 0 for even probabilities to 1 for a sure answer. */
  readonly confidence: number
  /** `confidence >= min_confidence`; present when one applies. */
  readonly decided?: boolean
}

/**
 * The answer to a score.
 *
 * @example
 * ```ts
 * const answer: ScoreAnswer = {
 *   type: 'score',
 *   score: 1.7,
 *   legend: { 0: 'calm', 1: 'annoyed', 2: 'furious' },
 *   probabilities: { 0: 0.05, 1: 0.2, 2: 0.75 },
 *   confidence: 0.7,
 * }
 * ```
 */
export interface ScoreAnswer {
  readonly type: 'score'
  /**
   * Expected level: 0 for the first, one less than their number for the last.
   *
   * @example
   * ```ts
   * const nearest = ({ score, legend }: ScoreAnswer) => legend[Math.round(score)]
   * ```
   */
  readonly score: number
  /** Level index to the description given. */
  readonly legend: Readonly<Record<string, Exclude<Text, null>>>
  /** Level index to probability, 0 to 1, summing to 1. */
  readonly probabilities: Readonly<Record<string, number>>
  /** 0 for probabilities spread as far as they can be to 1 for a sure answer. */
  readonly confidence: number
  /** `confidence >= min_confidence`; present when one applies. */
  readonly decided?: boolean
}

type OptionsOf<Criteria> = `${Extract<keyof Criteria, string | number>}`

type AnswerOfType<Q> = Q extends { readonly type: 'noul' }
  ? NoulAnswer
  : Q extends { readonly type: 'choice'; readonly criteria: infer Criteria }
    ? ChoiceAnswer<OptionsOf<Criteria>>
    : Q extends { readonly type: 'score' }
      ? ScoreAnswer
      : never

/** What is certain of an answer to which a threshold applies. */
interface Judged {
  /** `confidence >= min_confidence`. */
  readonly decided: boolean
  /** 0 for an even chance to 1 for a sure answer. */
  readonly confidence: number
}

/**
 * The answer to a question. `decided`, and `confidence` on a noul, are certain when the question or the request is known
 * to set a `min_confidence`; they are optional otherwise.
 */
export type Answer<
  Q extends QuestionInput = QuestionInput,
  Threshold extends ThresholdInput = ThresholdInput,
> = Q extends { readonly min_confidence: number }
  ? AnswerOfType<Q> & Judged
  : [Threshold] extends [number]
    ? AnswerOfType<Q> & Judged
    : AnswerOfType<Q>

/** One answer per question, under the question's name. */
export type AnswersOf<Questions extends QuestionsInput, Threshold extends ThresholdInput = ThresholdInput> = {
  readonly [Name in keyof Questions]: Answer<Questions[Name], Threshold>
}

/** What `decide` answers. */
export interface DecisionResponse<
  Questions extends QuestionsInput = QuestionsInput,
  Threshold extends ThresholdInput = ThresholdInput,
> {
  /** The model that answered, such as `decide-mini`. */
  readonly model: string
  /**
   * One answer per question, under the question's name and typed by it.
   *
   * @example
   * ```ts
   * const { answers } = await decide({
   *   state: 'The parcel came broken',
   *   questions: { team: { type: 'choice', criteria: { billing: 'Payments', shipping: 'Parcels' } } },
   * })
   * answers.team.choice // 'billing' | 'shipping'
   * ```
   */
  readonly answers: AnswersOf<Questions, Threshold>
  readonly usage: {
    /** The state once, plus the text of each question. */
    readonly input_tokens: number
    /** 0: decisions write nothing. */
    readonly output_tokens: number
  }
  /** Whole milliseconds. */
  readonly latency_ms: number
  /**
   * With `symbolMass` of the engine, of models that answer with letters, digits or yes and no: the probability, 0 to 1, that these
   * have together of all that the model could write, for each question; the least of several windows or orders. Little of it says that
   * the model would rather write something else, so that its answer means little. Never on the wire.
   *
   * @example
   * ```ts
   * const strange = ({ symbol_mass = {} }: DecisionResponse) => Object.values(symbol_mass).some((mass) => mass < 0.5)
   * ```
   */
  readonly symbol_mass?: { readonly [Name in keyof Questions]: number }
  /**
   * What was ignored in the request, such as misspelt fields, and whether the state was read in windows; absent when there is
   * nothing to say, and never on the wire.
   */
  readonly warnings?: readonly Warning[]
}
