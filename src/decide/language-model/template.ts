import type { Question, State } from '../../schemas/index.ts'

/** A question as tokens that continue the state; the answer is what would follow the last. */
export interface Branch {
  readonly ids: readonly number[]
  /** Whether the symbols stand for the options from the last to the first. */
  readonly turned?: boolean
}

/** A state as the tokens that the whole prompt has there. */
interface StateTokens {
  /** Tokens before it: the template's `opening`, up to the first that is another one because of the text behind it. */
  readonly opening: readonly number[]
  /** The text of the state with the rest of the opening, and what parts it from a question. */
  readonly ids: readonly number[]
}

/** The rendering of requests as tokens for one kind of model. Versioned: a bundle names the template it was trained with. */
export interface Template {
  /** Tokens before the state in every window but its first, of which `state` says them. */
  readonly opening: readonly number[]
  /** Options of a choice that it has symbols for. */
  readonly mostOptions: number
  /** Tokens behind the state in every window but its last, whose `state` has them. */
  readonly closing: readonly number[]
  state(state: State): StateTokens
  /**
   * One question, in each order that its options are shown in. The question's name is never shown to the model.
   *
   * @param most ids that it may have; one that has more is not made to its end
   */
  question(question: Question, most: number): readonly [Branch, ...Branch[]]
}
