import type { Dialect } from '../error-response.ts'
import type { Call, JobSteps } from '../route.ts'
import type { JobFailure } from './job-faults.ts'
import type { Job, JobCounts, JobRequest } from './job.ts'

/** Told what the answer of a job took, by whoever still listens. */
export type JobNotes = Pick<Call, 'noteUnits' | 'noteTokens' | 'noteTimings'>

/** What a batch tells on its way: its lines have turns, and not the batch. */
export interface BatchSteps extends JobSteps {
  /** Says that it is a job from now on. */
  admit(): void
  /** Gives the turn of a job to others, until it begins again. */
  pause(): void
  /**
   * Waits for the turn of one of its lines, at half priority.
   *
   * @returns what ends it
   * @throws AbortedError
   */
  beginLine(signal: AbortSignal): Promise<() => void>
  onCounts(counts: JobCounts): void
  /**
   * Logs why a line has no answer, where the fault is the server's own.
   *
   * @returns the id that it has in the log; undefined where the fault is not the server's
   */
  tellFault(failure: JobFailure): string | undefined
  /** Whether another process goes on with it where this one closes. */
  readonly isShared: boolean
  /** Keeps a part of the result for a process that takes the job over; nothing where there can be none. */
  keepPart(part: string): Promise<void>
  /** Says that it is past what may have ended the processes that had it before: they do not count any more. */
  countAnew(): Promise<void>
  /** The parts that a process before this one kept. */
  readParts(): Promise<readonly string[]>
}

/** How the jobs of a route are answered. */
export interface JobHandler {
  readonly dialect: Dialect
  /**
   * Answers a request: what the job becomes with it. Its signal fires when the job is stopped.
   *
   * @throws why there is no answer
   */
  answer(request: JobRequest, steps: BatchSteps, signal: AbortSignal, notes: JobNotes): Promise<Partial<Job>>
}
