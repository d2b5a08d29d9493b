import type { State, Text } from './read-text.ts'

/** A yes/no question. Needs instructions or at least one side of the criteria. */
export interface NoulQuestion {
  /** Says that the question is one of yes or no. */
  readonly type: 'noul'
  /** The question, as text or JSON. */
  readonly instructions?: Text
  /** What yes and what no mean. */
  readonly criteria?: {
    /** What yes means. */
    readonly true?: Text
    /** What no means. */
    readonly false?: Text
  } | null
  /** Threshold of this question, 0 to 1; it replaces that of the request. */
  readonly min_confidence?: number
}

/** Which of 2 to 26 options. */
export interface ChoiceQuestion {
  /** Says that the question is one of several options. */
  readonly type: 'choice'
  /** The question, as text or JSON. */
  readonly instructions?: Text
  /** Option to its meaning. */
  readonly criteria: Readonly<Record<string, Text>>
  /** Threshold of this question, 0 to 1; it replaces that of the request. */
  readonly min_confidence?: number
}

/** Where on a scale of 2 to 10 levels, lowest first. */
export interface ScoreQuestion {
  /** Says that the question is one of several levels. */
  readonly type: 'score'
  /** The question, as text or JSON. */
  readonly instructions?: Text
  /** What each of 2 to 10 levels means, lowest first. */
  readonly criteria: readonly Exclude<Text, null>[]
  /** Threshold of this question, 0 to 1; it replaces that of the request. */
  readonly min_confidence?: number
}

/** A question that was checked. */
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion

/** A decision request that passed validation. Questions and options keep the order and the names of the request. */
export interface DecisionRequest {
  /** What the questions are about, as a clean copy. */
  readonly state: State
  /** 1 to 32 questions by their names. */
  readonly questions: Readonly<Record<string, Question>>
  /** 0 to 1; for every question that sets none. */
  readonly min_confidence?: number
  /** Name of the model; without it `decide-latest`. */
  readonly model?: string
}
