import type { Tensor } from '../../backends/backend.ts'
import type { DecisionRequest, Question } from '../../schemas/index.ts'

/** A text that an encoder reads about a question: a window of the state, and what stands before and behind it. */
export interface Prompt {
  readonly before: readonly number[]
  readonly after: readonly number[]
  /** How many tokens of `after` are of the second segment. Default: none. */
  readonly second?: number
  /** What the head reads, beside the tokens. */
  readonly feeds: Readonly<Record<string, Tensor>>
}

/** A question as the prompts that are read about it in every window of the state. */
export interface FramedQuestion {
  readonly prompts: readonly Prompt[]
  /** One logit an option (noul: yes, no) from the logits of each prompt. */
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
