import type { Backend } from '../../backends/index.ts'
import type { OwnCalibration } from '../../decide/own-calibration.ts'
import type { JobContext, Progress } from '../../jobs/job-context.ts'
import type { ChosenLora } from '../../models/lora/with-lora.ts'
import type { JobKind, Jobs } from '../jobs.ts'
import type { MemoryPrediction } from '../memory/memory-prediction.ts'

/** The kinds of job that a model does, and how. */
export type JobsDone = {
  readonly [Kind in JobKind]?: (
    request: Jobs[Kind]['request'],
    context: JobContext,
  ) => Promise<Jobs[Kind]['response']> | Jobs[Kind]['response']
}

/** One opened model. */
export type Task = JobsDone & {
  /** Bytes that a usual job takes beside the model; absent where they are few. */
  readonly workingMemory?: number
  /** The same with one part of the model open at a time. @defaultValue `workingMemory` */
  readonly stageMemory?: number
  dispose(): Promise<void> | void
}

/** Where the engine finds its models. The engine itself knows neither their files nor their architectures. */
export interface TaskSource {
  /** The model names of the specification that it serves. */
  readonly names: readonly string[]
  /**
   * The name that a request is answered under, which chooses its model and the adapters that this has.
   *
   * @param given by the request, which may come from the network
   * @param fallback name of the model that serves names of compatible services
   */
  nameOf(given: string, fallback: string): string
  /** @param name of `nameOf`, or one that the app gives. @throws ModelNotFoundError */
  resolve(name: string): Promise<ResolvedModel>
  /**
   * The same adapters with what their files are now, so that a call does not meet an open model with one that was trained anew; those of names
   * are what they were when they were first asked for. Absent where there are none.
   */
  look?(lora: readonly ChosenLora[]): Promise<readonly ChosenLora[]>
  /** Reads what the model's files say, without opening it. @throws ModelFormatError, DownloadFailedError */
  describe(model: ResolvedModel, signal?: AbortSignal): Promise<ModelDescription>
  /** Absent where nothing is known of the machine, as in browsers. Only models on processors are asked about. */
  readonly memory?: {
    /** Whether a model is so small that every machine has room for it several times. */
    isSmall(model: ResolvedModel): Promise<boolean>
    /** What a model will take; undefined for one so small that reading its headers would take longer than it is worth. */
    predict(model: ResolvedModel, backend: Backend): Promise<MemoryPrediction | undefined>
    /**
     * @param reusable bytes that closed models have left to this process
     * @returns bytes that it may take
     * @throws InsufficientMemoryError where it needs more
     */
    require(model: ResolvedModel, prediction: MemoryPrediction, reusable: number): Promise<number>
    /** Bytes that this process has not given back to the system. @defaultValue unknown */
    held?(): number
  }
  /** @throws ModelFormatError, DownloadFailedError, AbortedError */
  open(model: ResolvedModel, backend: Backend, context: OpenContext): Promise<Task>
}

export interface OpenContext {
  /** Fires when nobody waits for the model any more: a download stops. */
  readonly signal: AbortSignal
  /** It is called for models that have to be downloaded first. */
  onProgress(progress: Progress): void
  /** Whether it is opened to count tokens only, so that its weights need not be brought. @defaultValue false */
  readonly withoutWeights?: boolean
}

export interface ResolvedModel {
  /** Model that really runs, such as `decide-mini`. */
  readonly id: string
  /** Path, or URL in browsers. */
  readonly folder: string
  /** Adapters that it is opened with. @defaultValue none */
  readonly lora?: readonly ChosenLora[]
}

export interface ModelDescription {
  /** Which jobs it is for: `decide` and `countTokens`, or `generateImage` and `editImage`. */
  readonly kind: 'decisions' | 'images'
  /** Size of its weight files, in bytes. */
  readonly bytes: number
  /** Decision models of this process only: what a calibration of your own is made for. */
  readonly identity?: OwnCalibration['model']
  /** Sizes that a small image model makes itself; what is asked for in others is resampled from them. */
  readonly nativeSizes?: readonly string[]
}
