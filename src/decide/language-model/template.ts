import type { Question } from '../../schemas/index.ts'
import type { Branch } from '../branch.ts'

/** How requests become tokens for one kind of model. Versioned: a bundle names the template it was trained with. */
export interface Template {
  /** Tokens before the text of the state, in every window. */
  readonly opening: readonly number[]
  /** Options of a choice that it has symbols for. */
  readonly mostOptions: number
  /** Tokens behind the state in every window but its last, whose `state` has them. */
  readonly closing: readonly number[]
  /** The text of the state, and what parts it from a question. */
  state(text: string): number[]
  /**
   * One question. The question's name is never shown to the model.
   *
   * @param most ids that it may have; one that has more is not made to its end
   */
  question(question: Question, most: number): Branch
}
