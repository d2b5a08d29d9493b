import type { Environment } from '../measure/environment.ts'

/** What `npm run bench -- NAME` may be told; each bench reads what concerns it. */
export interface BenchOptions {
  /** Bundle of the embedded decision model. */
  readonly model: string
  /** Layers of models in the shapes of Qwen3-0.6B (28 in the real one). */
  readonly layers: number
  readonly threads: number
  /** Rounds that count. */
  readonly runs: number
  /** Lengths of state, in tokens. */
  readonly states: readonly number[]
  /** Questions a request. */
  readonly questions: readonly number[]
  /** Names of checkpoints in full size. */
  readonly checkpoints: readonly string[]
  /** Sides of square pictures, in pixels. */
  readonly sides: readonly number[]
}

/** A file beside RESULTS.md's raw figures, such as a plot. */
export interface Plot {
  readonly name: string
  readonly svg: string
}

/** One thing that `npm run bench` measures. Results are plain data: the page can be made again from the files. */
export interface Bench<Results> {
  measure(options: BenchOptions): Promise<Results>
  /** Adds what an earlier recording has and this one was not asked for. @defaultValue a recording takes the place of the one before */
  join?(before: Results, now: Results): Results
  /** Markdown without the environment, and the plots that it refers to as `results/<name>.svg`. */
  render(results: Results & Measured): { readonly markdown: string; readonly plots?: readonly Plot[] }
}

export interface Measured {
  readonly environment: Environment
}
