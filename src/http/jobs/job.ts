import type { Progress } from '../../engine/index.ts'
import type { JsonOrForm } from '../body/body-readers.ts'
import type { createErrorBody } from '../error-response.ts'
import type { ApiKey } from '../keys/key-store.ts'

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/** How far a job is; the last three are its end. */
export type JobStatus = (typeof JOB_STATUSES)[number]

/** What a job answers. */
export interface JobRequest {
  /** The body as it was read: a JSON value, or the fields of a form. */
  readonly body: JsonOrForm
  /** Who asked: whose limits and money count. */
  readonly caller: ApiKey
  /** The `Idempotency-Key` of the request. */
  readonly idempotencyKey?: string
  /** SHA-256 of the request under its key; absent where it has none. */
  readonly digest?: string
  /** Whether another process had the job before, which has kept its key. */
  readonly isTakenOver?: boolean
}

/** Lines of a batch. */
export interface JobCounts {
  /** All of them. */
  readonly total: number
  /** Those that were answered. */
  readonly succeeded: number
  /** Those that cannot be. */
  readonly failed: number
  /** Those that were not reached when the batch was stopped. */
  readonly cancelled: number
}

/** A request that is answered while nobody waits for the response. Times are milliseconds since 1970. */
export interface Job {
  /** Name of the job, `job_` and 32 hexadecimal digits. */
  readonly id: string
  /** Whose it is: to all others there is no such job. */
  readonly account: string
  /** Path of the route that answers it. */
  readonly path: string
  /** How far it is. */
  readonly status: JobStatus
  /** When it was asked for. */
  readonly createdAt: number
  /** When its turn came. */
  readonly startedAt?: number
  /** When it was over. */
  readonly endedAt?: number
  /** What it answers, until it is over. */
  readonly request?: JobRequest
  /** How often a process took it over from one that ended without leaving it to the others, or getting on with it, each after the other. */
  readonly takenOver?: number
  /** Address that is told of its end. */
  readonly webhook?: string
  /** SHA-256 of the request, where it has an `Idempotency-Key`. */
  readonly digest?: string
  /** How long it is kept after its end; 0 until its result was fetched. */
  readonly keepMs: number
  /** Body of the answer, where the job succeeded; of a batch that was stopped, what was answered. A value that is written as JSON. */
  readonly result?: unknown
  /** Of a batch: what became of its lines. */
  readonly counts?: JobCounts
  /** What the answer warns of. */
  readonly warnings?: unknown
  /** Why there is no answer, or not all of a batch, where the job failed. */
  readonly error?: JobError
  /** Bytes that the result takes as JSON. */
  readonly bytes: number
}

type JobError = ReturnType<typeof createErrorBody> & { readonly status: number }

/** An event of a stream of pictures, as requests with `stream: true` get it. */
export interface PartialPicture {
  readonly type: string
}

/** A job as it stands at this moment. */
export interface JobView extends Job {
  /** How many jobs are served before it, and itself; only while it is queued here. */
  readonly place?: number
  /** Only while it runs. */
  readonly progress?: Progress
  /** Previews of its pictures so far, the oldest first; only while it runs. */
  readonly partials?: readonly PartialPicture[]
}

/** How long a result that is kept until it is fetched waits for that. */
const UNFETCHED_MS = 600_000

/** For how many milliseconds a job is kept after its end. */
export function keptFor({ keepMs }: Job): number {
  return keepMs === 0 ? UNFETCHED_MS : keepMs
}

export function isOver({ status }: Job): boolean {
  return status !== 'queued' && status !== 'running'
}

/** Whether its key is free for another try: it came to nothing. What was answered of a batch that was stopped is charged. */
export function hasFreedKey({ status, bytes }: Job): boolean {
  return (status === 'failed' || status === 'cancelled') && bytes === 0
}
