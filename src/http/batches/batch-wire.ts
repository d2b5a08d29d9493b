import * as z from 'zod'
import { decisionResponseSchema } from '../../schemas/index.ts'
import { jobErrorSchema } from '../jobs/job-wire.ts'

const NAMED = {
  /** That of the line; null where it has none that can be used. */
  custom_id: z.string().nullable(),
  /** Number of the line in the body of the batch, from 1. */
  line: z.int().positive(),
}

/** A line of `GET /v1/batches/{id}/results`: what `POST /v1/systemone` answers to the line, or why not. */
export const batchResultSchema = z.union([
  z.object({ ...NAMED, response: decisionResponseSchema }),
  z.object({
    ...NAMED,
    error: jobErrorSchema,
    /** What the server's log has its reason under; absent where the fault is not the server's. */
    request_id: z.string().optional(),
  }),
])

export type BatchResult = z.output<typeof batchResultSchema>
