import type { Preview } from './preview.ts'

/** The progress of a job. */
export interface Progress {
  /**
   * The work that is being done: `loading` a large model, in bytes of memory; `reading` a state; `encoding` the words of a picture, then
   * `denoising` and `decoding` it; in browsers `downloading` a model, in bytes.
   *
   * @example
   * ```ts
   * const label = ({ stage }: Progress) => (stage === 'denoising' ? 'drawing' : stage)
   * ```
   */
  readonly stage: string
  /**
   * Steps, windows or bytes that are done.
   *
   * @example
   * ```ts
   * const share = ({ done, total }: Progress) => done / total
   * ```
   */
  readonly done: number
  /**
   * The number that there is; bytes of a download may grow while it is not known how long the files are.
   *
   * @example
   * ```ts
   * const left = ({ done, total }: Progress) => total - done
   * ```
   */
  readonly total: number
}

/** Every job is given this beside its request. */
export interface JobContext {
  /**
   * Awaited before every pass, forward or step: lets the other jobs do one of theirs, in order of arrival.
   *
   * @throws AbortedError once the call was aborted
   */
  turn(): Promise<void>
  onProgress?(progress: Progress): void
  /** Absent where nobody looks: previews take work of their own. */
  onPreview?(preview: Preview): void
  /** Whose the job is, where a model may keep what it reads for later jobs of theirs. Absent where it may not. */
  readonly keepFor?: string | undefined
}
