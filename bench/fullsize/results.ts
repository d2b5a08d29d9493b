import type { Environment } from '../measure/environment.ts'

/** Largest in a stage of a picture, in bytes: of the whole process, and without pages of mapped files. */
export interface StageMemory {
  readonly peak: number
  readonly own: number
}

/** What one process measured of one checkpoint; memory in bytes as the system counts it (resident), times in milliseconds. */
export interface ModelFigures {
  /** Before the engine, and when the model is open and has worked once. */
  readonly before: number
  readonly open: number
  /** Largest of the whole process. */
  readonly peak: number
  /** The same without pages of mapped files. */
  readonly peak_own: number
  readonly disposed: number
  readonly opening_ms: number
  readonly first_progress_ms: number
  readonly count_tokens?: { readonly ms: number; readonly grown: number }
  /** Of a picture. */
  readonly stages?: Readonly<Record<string, StageMemory>>
  /** Named pieces of work, such as `1 question` or `a step`. */
  readonly times: Readonly<Record<string, number>>
}

export interface FullsizeModel extends ModelFigures {
  readonly name: string
  readonly title: string
  /** Models are measured one by one, on days of their own. */
  readonly environment: Environment
  readonly file: number
  readonly budget: number
  /** Of the library: open, and the least that a job needs. */
  readonly predicted: { readonly open: number; readonly needed: number }
}

export interface FullsizeResults {
  readonly models: readonly FullsizeModel[]
}
