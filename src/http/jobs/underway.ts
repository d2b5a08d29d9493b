import type { TesseraError } from '../../errors/index.ts'
import type { Job } from './job.ts'

/** A job that this process answers. */
export interface Underway {
  job: Job
  readonly controller: AbortController
  /** Resolves when the request is admitted, rejects with why it is refused. */
  readonly accepted: Promise<void>
  /** Resolves when the job is over, with what went wrong. */
  readonly ended: Promise<TesseraError | undefined>
}
