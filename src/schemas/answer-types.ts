import type { Text } from './read-text.ts'
import type { QuestionInput, QuestionsInput } from './question-types.ts'

export interface NoulAnswer {
  readonly type: 'noul'
  /** Probability of yes, 0 to 1. */
  readonly noul: number
  /** `|2p - 1|`; present when a `min_confidence` applies. */
  readonly confidence?: number
  /** `confidence >= min_confidence`; present when one applies. */
  readonly decided?: boolean
}

export interface ChoiceAnswer<Option extends string = string> {
  readonly type: 'choice'
  /** The option of the largest probability. */
  readonly choice: Option
  /** One per option, summing to 1. */
  readonly probabilities: Readonly<Record<Option, number>>
  /** 0 for even probabilities to 1 for a sure answer. */
  readonly confidence: number
  readonly decided?: boolean
}

export interface ScoreAnswer {
  readonly type: 'score'
  /** Expected level, 0 for the first. */
  readonly score: number
  /** Level index to the description given. */
  readonly legend: Readonly<Record<string, Exclude<Text, null>>>
  /** Level index to probability, summing to 1. */
  readonly probabilities: Readonly<Record<string, number>>
  readonly confidence: number
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

/**
 * The answer to a question. `decided`, and `confidence` on a noul, are certain when the question sets its own
 * `min_confidence`; they are optional otherwise, as the request may set one for all.
 */
export type Answer<Q extends QuestionInput = QuestionInput> = Q extends { readonly min_confidence: number }
  ? AnswerOfType<Q> & { readonly decided: boolean; readonly confidence: number }
  : AnswerOfType<Q>

/** One answer per question, under the question's name. */
export type AnswersOf<Questions extends QuestionsInput> = {
  readonly [Name in keyof Questions]: Answer<Questions[Name]>
}

export interface DecisionResponse<Questions extends QuestionsInput = QuestionsInput> {
  /** The model that answered. */
  readonly model: string
  readonly answers: AnswersOf<Questions>
  readonly usage: {
    /** The state once, plus the text of each question. */
    readonly input_tokens: number
    /** 0: decisions write nothing. */
    readonly output_tokens: number
  }
  /** Whole milliseconds. */
  readonly latency_ms: number
}
