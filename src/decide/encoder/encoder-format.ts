import type { DecisionRequest, Question } from '../../schemas/index.ts'

/** A text that an encoder reads about a question: a window of the state, and what stands before and behind it. */
export interface Prompt {
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** How many tokens of `after` are of the second segment. Default: none. */
  readonly second?: number
  /** Tokens of `before` whose hidden states the head reads. */
  readonly rows: readonly number[]
  /** Kind of the question, where the head has a table of kinds. */
  readonly type?: number
}

/** A question as the prompts that are read about it in every window of the state. */
export interface FramedQuestion {
  readonly prompts: readonly Prompt[]
  /** One logit an option (noul: yes, no) from what the head gives for the rows of each prompt. */
  readOut(logits: readonly Float32Array[]): Float64Array
}

/** Says why a model cannot answer a question. */
export type Refuse = (reason: string) => never

/** How a published model was trained to be asked. */
export interface EncoderFormat {
  /** Tokens that a text may have with everything around the state. */
  readonly positions: number
  /** The state's tokens, and those that stand before every window of it. */
  state(state: DecisionRequest['state']): { readonly lead: readonly number[]; readonly ids: readonly number[] }
  frame(question: Question, refuse: Refuse): FramedQuestion
}
