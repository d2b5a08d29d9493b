/** How far a job is. */
export interface Progress {
  /** What is being done: `reading` a state, `denoising` or `decoding` a picture; in browsers `downloading` a model, in bytes. */
  readonly stage: string
  readonly done: number
  readonly total: number
}

/** What every job is given beside its request. */
export interface JobContext {
  /**
   * Awaited before every pass, forward or step: lets the other jobs do one of theirs, in order of arrival.
   *
   * @throws AbortedError once the call was aborted
   */
  turn(): Promise<void>
  onProgress?(progress: Progress): void
}
