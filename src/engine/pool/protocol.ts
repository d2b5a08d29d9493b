import type { AttentionForm, BackendName, Precision, RuntimeTelemetry, SelfTest } from '../../backends/index.ts'
import type { ErrorJson } from '../../errors/index.ts'
import type { Progress } from '../../jobs/job-context.ts'
import type { Preview } from '../../jobs/preview.ts'
import type { ChosenLora } from '../../models/lora/with-lora.ts'
import type { Served } from '../calls/call-timings.ts'
import type { CallKind, Calls } from '../jobs.ts'
import type { EngineSettings } from '../options/resolve-options.ts'
import type { ModelChange } from './activity.ts'

/*
 * What the main thread and the worker say to each other. `start` comes first and is answered once, with `started` or
 * `start-failed`; then any number of jobs run, each ended by exactly one `result` or `error` with its id, and `model` tells
 * what became of models meanwhile.
 */

export type ToWorker =
  | { readonly type: 'start'; readonly settings: EngineSettings }
  | { [Kind in CallKind]: RunMessage<Kind> }[CallKind]
  | { readonly type: 'abort'; readonly id: number }
  /** The model of that name need not stay open any more, where its load had that. */
  | { readonly type: 'release'; readonly model: string }
  /** The last message: all jobs are to end, and what was kept of them is to be wiped. Answered with `forgotten`. */
  | { readonly type: 'forget' }

export interface RunMessage<Kind extends CallKind = CallKind> {
  readonly type: 'run'
  readonly id: number
  readonly kind: Kind
  readonly model: string
  /** Adapters that the model is to compute with. */
  readonly lora: readonly ChosenLora[]
  readonly request: Calls[Kind]['request']
  /** Whether `progress` is to be sent: a message a pass, which takes time at both ends. */
  readonly reports: boolean
  /** Whether `preview` is to be sent, which takes work of its own. */
  readonly previews: boolean
  /** See `JobContext`. */
  readonly keepFor?: string
}

export type FromWorker =
  | { readonly type: 'started'; readonly info: BackendInfo }
  | { readonly type: 'start-failed'; readonly error: ErrorJson }
  | News
  | {
      readonly type: 'result'
      readonly id: number
      readonly response: Calls[CallKind]['response']
      readonly served: Served
    }
  /**
   * Without `served` where the error came before the model was known. `spent` says why the worker is of no more use after it, in words that follow
   * `the worker ended during the call`.
   */
  | {
      readonly type: 'error'
      readonly id: number
      readonly error: ErrorJson
      readonly served?: Served
      readonly spent?: string
    }
  | ({ readonly type: 'model' } & ModelChange)
  | { readonly type: 'forgotten' }

/** The worker is of no more use: code that it could not load stays so, as Node and browsers keep the failure. Its connection ends it. */
export interface Broken {
  readonly type: 'broken'
  /** Why, in words that follow `the worker ended during the call`. */
  readonly reason: string
}

/** What is told of a job while it runs. */
export type News =
  | { readonly type: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly type: 'preview'; readonly id: number; readonly preview: Preview }

/** How a job ends. */
export type Ended = Extract<FromWorker, { readonly type: 'result' | 'error' }>

/** What a worker thread is started with. */
export interface WorkerData {
  /** Memory of the `NativeGate`. */
  readonly gate: SharedArrayBuffer
  /** Memory of the turns in which large pictures are decoded, the same for all threads. */
  readonly decodingTurns: SharedArrayBuffer
}

/** Which backend really runs, and why. */
export interface BackendInfo {
  /** Name of the backend that computes. */
  readonly backend: BackendName
  /** Why it was taken, as one sentence for people. */
  readonly reason: string
  /** What `auto` tried before, why each did not serve, and what would help. */
  readonly tried: readonly { readonly name: BackendName; readonly reason: string; readonly remedy: string }[]
  /** Threads for one operator. */
  readonly threads: number
  /** Package and version, such as `onnxruntime-node 1.30.0`. */
  readonly runtime: string
  /**
   * Whether that package reports to its maker from this process: `off`, unless the app asked for it or, seen on Linux only,
   * opened a session of its own before the engine; `system` on Windows, whose trace sessions decide.
   */
  readonly runtimeTelemetry: RuntimeTelemetry
  /** Whether attention is one operator, or written out because a self-test found that operator wrong here. */
  readonly attention: AttentionForm
  /** What products and attention are computed in: `float16` on devices whose self-test showed that to be right. */
  readonly precision: Precision
  /** How near the operators of graphs come to reference numbers on this device; not for `cpu` and `wasm`. */
  readonly selfTest?: SelfTest
}
