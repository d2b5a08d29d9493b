import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError } from '@ai-sdk/provider'
import * as z from 'zod'
import { errorBodySchema } from '../schemas/index.ts'
import { type Service, toJobError } from './service.ts'

/** What is read of a job. */
const jobSchema = z.object({
  id: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
  result: z.record(z.string(), z.unknown()).optional(),
  warnings: z.array(z.unknown()).optional(),
  error: errorBodySchema.extend({ status: z.int() }).optional(),
})
type Job = z.output<typeof jobSchema>

/** Long enough to ask again where an answer was lost. */
const KEEP_SECONDS = 60
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000
/** The work goes on without the connection, which may be away for half a minute. */
const MOST_FAILURES = 30

/**
 * Has a request answered as a job, and resolves with the answer that the route gives. When the signal fires the job is cancelled.
 *
 * @throws APICallError; the signal's reason
 */
export async function runJob(service: Service, path: string, body: object, signal?: AbortSignal): Promise<unknown> {
  signal?.throwIfAborted()
  const headers = { prefer: `respond-async, keep-result=${KEEP_SECONDS}` }
  // It is not stopped before it has an id, as nobody could cancel it then.
  const job = jobSchema.parse(await service.send(path, { method: 'POST', body, headers }))
  const address = `v1/jobs/${job.id}`
  try {
    return readResult(path, await untilOver(service, address, job, signal))
  } catch (error) {
    if (signal?.aborted) await service.send(address, { method: 'DELETE' })
    throw error
  }
}

async function untilOver(service: Service, address: string, started: Job, signal?: AbortSignal): Promise<Job> {
  let job = started
  let failures = 0
  for (let wait = FIRST_WAIT_MS; job.status === 'queued' || job.status === 'running'; wait *= 2) {
    await sleep(Math.min(wait, LONGEST_WAIT_MS), undefined, { signal }).catch(() => signal?.throwIfAborted())
    try {
      job = jobSchema.parse(await service.send(address, { signal }))
      failures = 0
    } catch (error) {
      const mayPass = APICallError.isInstance(error) && error.isRetryable && !signal?.aborted
      if (!mayPass || ++failures === MOST_FAILURES) throw error
    }
  }
  return job
}

function readResult(path: string, { status, result, warnings, error }: Job): unknown {
  if (status === 'succeeded') return { ...result, ...(warnings && { warnings }) }
  if (error) throw toJobError(path, error)
  const message = 'the job was cancelled by another client of the account'
  throw new APICallError({ message, url: path, requestBodyValues: {}, isRetryable: false })
}
