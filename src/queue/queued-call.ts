import type { CallTimings, Engine, Progress } from '../engine/index.ts'
import type { ErrorJson } from '../errors/index.ts'
import type { QueueName } from './queue-names.ts'

/** Calls of an engine that go through a queue, each with its queue. */
export const CALLS = {
  decide: 'decide',
  countTokens: 'decide',
  generateImage: 'images',
  editImage: 'images',
} as const satisfies Partial<Record<keyof Engine, QueueName>>

export type QueuedKind = keyof typeof CALLS

/** Why a call has no answer that ended every worker: that of the first try, and the one that took it over. */
export const POISONED = 'every worker that took this call ended while it worked on it'

/** What is sealed: a call as the engine of a worker takes it. */
export interface QueuedCall {
  readonly request: unknown
  readonly options: object
}

/** What stands in the queue; its id is that of the call. */
export interface QueuedData {
  /** A `QueuedCall`. */
  readonly sealed: string
  /** Who waits for it. */
  readonly front: string
  /** The span of the front that it belongs to (W3C Trace Context). */
  readonly traceparent?: string
  /** Whether progress is to be told. */
  readonly reports: boolean
  /** Whether previews of pictures are to be sent. */
  readonly previews: boolean
}

/** What comes of a call, sealed. */
export type Outcome =
  | { readonly response: unknown; readonly timings?: CallTimings }
  | { readonly error: ErrorJson; readonly timings?: CallTimings }

/** What a front is told about a call: nothing of its content that is not sealed. */
export type Notice =
  | { readonly id: string; readonly type: 'started' }
  | { readonly id: string; readonly type: 'progress'; readonly progress: Progress }
  /** A `Preview`, sealed. */
  | { readonly id: string; readonly type: 'preview'; readonly sealed: string }
  | { readonly id: string; readonly type: 'done' }
