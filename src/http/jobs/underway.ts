import type { TesseraError } from '../../errors/index.ts'
import type { Refusal } from '../refusal.ts'
import type { Job, JobView } from './job.ts'

/** A job that this process answers. */
export interface Underway {
  job: Job
  readonly controller: AbortController
  /** Resolves when the request is admitted, rejects with why it is refused. */
  readonly accepted: Promise<void>
  /** Resolves when the job is over, with what went wrong. */
  readonly ended: Promise<TesseraError | Refusal | undefined>
}

/** What became of a wish for a job. */
export interface Started {
  readonly job: JobView
  /** Undefined where the job was there already. */
  readonly ended: Promise<TesseraError | Refusal | undefined> | undefined
}
