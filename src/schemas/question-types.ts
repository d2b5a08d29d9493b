import type { State, Text } from './read-text.ts'

/** A state as a caller may pass it. Interfaces are not assignable to JSON types, so it is checked at run time only. */
export type StateInput = string | object

/** A text as a caller may pass it. */
export type TextInput = string | object | null

/** A yes/no question. Needs instructions or at least one side of the criteria. */
export interface NoulQuestion {
  readonly type: 'noul'
  readonly instructions?: Text
  /** What yes and what no mean. */
  readonly criteria?: { readonly true?: Text; readonly false?: Text } | null
  /** 0 to 1. */
  readonly min_confidence?: number
}

/** Which of 2 to 26 options. */
export interface ChoiceQuestion {
  readonly type: 'choice'
  readonly instructions?: Text
  /** Option to its meaning. */
  readonly criteria: Readonly<Record<string, Text>>
  /** 0 to 1. */
  readonly min_confidence?: number
}

/** Where on a scale of 2 to 10 levels, lowest first. */
export interface ScoreQuestion {
  readonly type: 'score'
  readonly instructions?: Text
  readonly criteria: readonly Exclude<Text, null>[]
  /** 0 to 1. */
  readonly min_confidence?: number
}

export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion

/** A decision request that passed validation. Questions and options keep the order and the names of the request. */
export interface DecisionRequest {
  readonly state: State
  readonly questions: Readonly<Record<string, Question>>
  /** 0 to 1; for every question that sets none. */
  readonly min_confidence?: number
  readonly model?: string
}

interface QuestionInputFields {
  readonly instructions?: TextInput | undefined
  readonly min_confidence?: number | null | undefined
}

export interface NoulQuestionInput extends QuestionInputFields {
  readonly type: 'noul'
  readonly criteria?:
    | {
        readonly true?: TextInput | undefined
        readonly false?: TextInput | undefined
      }
    | null
    | undefined
}

export interface ChoiceQuestionInput extends QuestionInputFields {
  readonly type: 'choice'
  readonly criteria: Readonly<Record<string, TextInput>>
}

export interface ScoreQuestionInput extends QuestionInputFields {
  readonly type: 'score'
  readonly criteria: readonly (string | object)[]
}

export type QuestionInput = NoulQuestionInput | ChoiceQuestionInput | ScoreQuestionInput

export type QuestionsInput = Readonly<Record<string, QuestionInput>>

/**
 * A decision request as a caller writes it. A function that takes one as
 * `<const Questions extends QuestionsInput>(request: DecisionRequestInput<Questions>)` can type its answer from it.
 */
export interface DecisionRequestInput<Questions extends QuestionsInput = QuestionsInput> {
  readonly state: StateInput
  readonly questions: Questions
  readonly min_confidence?: number | null | undefined
  readonly model?: string | undefined
}
