import * as z from 'zod'
import { errorBodySchema } from '../../schemas/index.ts'
import { JsonBytes } from '../json-bytes.ts'
import { JOB_STATUSES, type JobView } from './job.ts'

const seconds = z.int().nonnegative()
const count = z.int().nonnegative()

/** The body of the error that the route answers with, and its status. */
export const jobErrorSchema = errorBodySchema.extend({ status: z.int() })

/** Body of `GET /v1/jobs/{id}`. Times are seconds since 1970. */
export const jobSchema = z.object({
  id: z.string(),
  object: z.literal('job'),
  status: z.enum(JOB_STATUSES),
  /** Of the route that answers it. */
  path: z.string(),
  created_at: seconds,
  started_at: seconds.optional(),
  ended_at: seconds.optional(),
  /** When its result is removed; absent for one that is kept until it is fetched. */
  expires_at: seconds.optional(),
  /** How many jobs are served before it, and itself. */
  place: z.int().positive().optional(),
  progress: z.object({ stage: z.string(), done: z.number(), total: z.number() }).optional(),
  /** Of a batch: what became of its lines. */
  counts: z.object({ total: count, succeeded: count, failed: count, cancelled: count }).optional(),
  /** The body that the route answers with. */
  result: z.unknown().optional(),
  /** What the header `tessera-warnings` of the answer would say. */
  warnings: z.array(z.unknown()).optional(),
  error: jobErrorSchema.optional(),
})

/** Body of `GET /v1/jobs`. */
export const jobListSchema = z.object({ object: z.literal('list'), data: z.array(jobSchema) })

/** The job without its result. */
export function toJobWire(job: JobView): z.output<typeof jobSchema> {
  const { id, status, path, createdAt, startedAt, endedAt, keepMs, place, progress, counts, warnings, error } = job
  const isKept = endedAt !== undefined && keepMs > 0
  return {
    id,
    object: 'job',
    status,
    path,
    created_at: toSeconds(createdAt),
    ...(startedAt !== undefined && { started_at: toSeconds(startedAt) }),
    ...(endedAt !== undefined && { ended_at: toSeconds(endedAt) }),
    ...(isKept && { expires_at: toSeconds(endedAt + keepMs) }),
    ...(place !== undefined && { place }),
    ...(progress && { progress }),
    ...(counts && { counts }),
    ...(warnings !== undefined && { warnings: warnings as unknown[] }),
    ...(error && { error }),
  }
}

/** The job as JSON, in pieces that follow each other: that of a result is shared by all who read it. */
export function writeJobWire(job: JobView): readonly Uint8Array[] {
  const head = JSON.stringify(toJobWire(job))
  if (job.result === undefined) return [Buffer.from(head)]
  return [Buffer.from(`${head.slice(0, -1)},"result":`), JsonBytes.of(job.result).bytes, Buffer.from('}')]
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}
