import type { TokenCount } from '../decide/index.ts'
import type { DecisionRequest, DecisionResponse } from '../schemas/index.ts'

/** Every kind of work an engine does: what goes to the task and what comes back. */
export interface Jobs {
  readonly decide: { readonly request: DecisionRequest; readonly response: DecisionResponse }
  readonly countTokens: { readonly request: DecisionRequest; readonly response: TokenCount }
}

export type JobKind = keyof Jobs

export interface Progress {
  /** What is being done, such as `prefill`. */
  readonly stage: string
  readonly done: number
  readonly total: number
}
