import type { TesseraError } from '../../errors/index.ts'
import type { Refusal } from '../refusal.ts'
import type { Log } from '../request-reporter.ts'
import { serverFault } from '../server-fault.ts'
import type { Job } from './job.ts'
import type { Underway } from './underway.ts'

/** Why a line of a batch has no answer, or a job that another process began. */
export interface JobFailure {
  readonly error: TesseraError | Refusal | undefined
  /** `performance.now()` when the work began here. */
  readonly started: number
  /** Number of the line. */
  readonly line?: number
}

/**
 * Logs a failure that no request of this process ends with, where the fault is the server's own.
 *
 * @returns the id that it has in the log; undefined where the fault is not the server's
 */
export type TellFault = (job: Job, failure: JobFailure) => string | undefined

export function faultTeller(log: Log): TellFault {
  return ({ id, path, account }, { error, started, line }) => {
    const fault = serverFault(error)
    if (fault === undefined) return undefined
    const requestId = line === undefined ? id : `${id}:${line}`
    const milliseconds = performance.now() - started
    log({ requestId, method: 'POST', route: path, account, status: fault.status, milliseconds, error: fault })
    return requestId
  }
}

/**
 * Tells of the fault that a job ends with which no request waits for.
 *
 * @param stopped why it was stopped at once
 */
export async function tellWhenOver(tell: TellFault, underway: Underway, stopped?: TesseraError): Promise<void> {
  const started = performance.now()
  const ended = await underway.ended
  const { job } = underway
  // A batch that has results ends with them, and without an error.
  tell(job, { error: ended ?? (job.status === 'failed' ? stopped : undefined), started })
}
