import type { DecisionJob, DecisionOutput, TokenCount } from '../decide/index.ts'
import type { ImageEditJob, ImageGenerationJob } from '../images/index.ts'
import type { DecisionRequest, ImageResponse } from '../schemas/index.ts'

/** Every kind of work an engine does: what goes to the task and what comes back. */
export interface Jobs {
  readonly decide: { readonly request: DecisionJob; readonly response: DecisionOutput }
  readonly countTokens: { readonly request: DecisionRequest; readonly response: TokenCount }
  readonly generateImage: { readonly request: ImageGenerationJob; readonly response: ImageResponse }
  readonly editImage: { readonly request: ImageEditJob; readonly response: ImageResponse }
}

export type JobKind = keyof Jobs

/** Every call of an engine: a job, or that a model be opened. */
export interface Calls extends Jobs {
  readonly load: { readonly request: LoadRequest; readonly response: null }
}

export type CallKind = keyof Calls

export interface LoadRequest {
  /** Whether the model stays open until the engine is disposed. */
  readonly keepOpen: boolean
}
