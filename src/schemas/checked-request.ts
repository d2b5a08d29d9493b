import type { State, Text } from './read-text.ts'

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
