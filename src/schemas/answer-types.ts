import type { QuestionInput, QuestionsInput, ThresholdInput } from './question-types.ts'
import type { Text } from './read-text.ts'

/**
 * The answer to a yes/no question.
 *
 * @example
 * ```ts
 * const answer: NoulAnswer = { type: 'noul', noul: 0.93 }
 * ```
 */
export interface NoulAnswer {
  /**
   * `noul`: yes or no.
   *
   * @example
   * ```ts
   * const isNoul = (answer: Answer) => answer.type === 'noul'
   * ```
   */
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
  /**
   * `|2p - 1|`, 0 for an even chance to 1 for a sure answer; present when a `min_confidence` applies.
   *
   * @example
   * ```ts
   * const isSure = ({ confidence = 0 }: NoulAnswer) => confidence >= 0.8
   * ```
   */
  readonly confidence?: number
  /**
   * `confidence >= min_confidence`; present when one applies.
   *
   * @example
   * ```ts
   * const needsPerson = (answer: NoulAnswer) => answer.decided === false
   * ```
   */
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
export interface ChoiceAnswer<Option extends string = string, Probabilities = Readonly<Record<Option, number>>> {
  /**
   * `choice`: one of several options.
   *
   * @example
   * ```ts
   * const isChoice = (answer: Answer) => answer.type === 'choice'
   * ```
   */
  readonly type: 'choice'
  /**
   * The option of the largest probability.
   *
   * @example
   * ```ts
   * const team = ({ choice }: ChoiceAnswer<'billing' | 'tech'>) => (choice === 'billing' ? 'accounts' : 'support')
   * ```
   */
  readonly choice: Option
  /**
   * One per option, 0 to 1, summing to 1.
   *
   * @example
   * ```ts
   * const byProbability = ({ probabilities }: ChoiceAnswer) => Object.entries(probabilities).sort(([, a], [, b]) => b - a)
   * ```
   */
  readonly probabilities: Probabilities
  /**
   * 0 for even probabilities to 1 for a sure answer.
   *
   * @example
   * ```ts
   * const isSure = ({ confidence }: ChoiceAnswer) => confidence >= 0.8
   * ```
   */
  readonly confidence: number
  /**
   * `confidence >= min_confidence`; present when one applies.
   *
   * @example
   * ```ts
   * const needsPerson = (answer: ChoiceAnswer) => answer.decided === false
   * ```
   */
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
  /**
   * `score`: a level of a scale.
   *
   * @example
   * ```ts
   * const isScore = (answer: Answer) => answer.type === 'score'
   * ```
   */
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
  /**
   * Level index to the description given.
   *
   * @example
   * ```ts
   * const lowest = ({ legend }: ScoreAnswer) => legend[0]
   * ```
   */
  readonly legend: Readonly<Record<string, Exclude<Text, null>>>
  /**
   * Level index to probability, 0 to 1, summing to 1.
   *
   * @example
   * ```ts
   * const ofHighest = ({ probabilities }: ScoreAnswer) => Object.values(probabilities).at(-1)
   * ```
   */
  readonly probabilities: Readonly<Record<string, number>>
  /**
   * 0 for probabilities spread as far as they can be to 1 for a sure answer.
   *
   * @example
   * ```ts
   * const isSure = ({ confidence }: ScoreAnswer) => confidence >= 0.8
   * ```
   */
  readonly confidence: number
  /**
   * `confidence >= min_confidence`; present when one applies.
   *
   * @example
   * ```ts
   * const needsPerson = (answer: ScoreAnswer) => answer.decided === false
   * ```
   */
  readonly decided?: boolean
}

/** Members of an enum stay what they are; numbers are the texts that they become as keys. */
type OptionsOf<Criteria> = Extract<keyof Criteria, string> | `${Extract<keyof Criteria, number>}`

/** Of an option that is given on a condition there may be none. */
type ProbabilitiesOf<Criteria> =
  Criteria extends Required<Criteria>
    ? Readonly<Record<OptionsOf<Criteria>, number>>
    : { readonly [Name in keyof Criteria as OptionsOf<Pick<Criteria, Name>>]: number }

/** Of one of several sets of options, one of several answers. */
type AnswerOfChoice<Criteria> = Criteria extends unknown
  ? ChoiceAnswer<OptionsOf<Criteria>, ProbabilitiesOf<Criteria>>
  : never

type AnswerOfType<Q> = Q extends { readonly type: 'noul' }
  ? NoulAnswer
  : Q extends { readonly type: 'choice'; readonly criteria: infer Criteria }
    ? AnswerOfChoice<Criteria>
    : Q extends { readonly type: 'score' }
      ? ScoreAnswer
      : never

/** What is certain of an answer to which a threshold applies. No interface: declarations of apps write it out, as they cannot name it. */
type Judged = {
  /**
   * `confidence >= min_confidence`.
   *
   * @example
   * ```ts
   * const { answers } = await decide({ ...request, min_confidence: 0.6 })
   * for (const answer of Object.values(answers)) console.log(answer.decided)
   * ```
   */
  readonly decided: boolean
  /**
   * 0 for an even chance to 1 for a sure answer.
   *
   * @example
   * ```ts
   * const { answers } = await decide({ ...request, min_confidence: 0.6 })
   * for (const answer of Object.values(answers)) console.log(answer.confidence.toFixed(2))
   * ```
   */
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
