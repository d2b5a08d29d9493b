import type { Dialect } from '../error-response.ts'
import type { Call, JobSteps } from '../route.ts'
import type { JobRequest } from './job.ts'

/** Told what the answer of a job took, by whoever still listens. */
export type JobNotes = Pick<Call, 'noteUnits' | 'noteTokens' | 'noteTimings'>

/** How the jobs of a route are answered. */
export interface JobHandler {
  readonly dialect: Dialect
  /** Answers a request, or throws why not. Its signal fires when the job is stopped. */
  answer(request: JobRequest, steps: JobSteps, signal: AbortSignal, notes: JobNotes): Promise<Response>
}
