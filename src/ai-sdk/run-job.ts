import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError } from '@ai-sdk/provider'
import * as z from 'zod'
import { errorBodySchema } from '../schemas/index.ts'
import { asLast, type Service, toJobError } from './service.ts'

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
/** How long a caller who has stopped a job waits for its cancelling, which goes on without it. */
const LONGEST_CANCEL_MS = 1000
const FIRST_WAIT_MS = 50
const LONGEST_WAIT_MS = 1000
/** The work goes on without the connection, which may be away for half a minute. */
const MOST_FAILURES = 30
/** Where nothing answers at that address, its caller is told so within six seconds. */
const MOST_STARTS = 10
/** None, or that of a proxy which had none. */
const STATUSES_WITHOUT_ANSWER: readonly (number | undefined)[] = [undefined, 502, 504]

/**
 * Has a request answered as a job, and resolves with the answer that the route gives. When the signal fires the job is cancelled.
 *
 * @throws APICallError; the signal's reason
 */
export async function runJob(service: Service, path: string, body: object, signal?: AbortSignal): Promise<unknown> {
  signal?.throwIfAborted()
  const starting = start(service, path, body)
  const cancel = () =>
    starting
      .then((job) => service.send(addressOf(job), { method: 'DELETE' }))
      .catch(() => {
        // What keeps a service from cancelling is not what ended the call; the job ends without a reader.
      })
  const job = await orAborted(starting, signal).catch((error: unknown) => {
    if (signal?.aborted) void cancel()
    throw error
  })
  try {
    return readResult(path, await untilOver(service, addressOf(job), job, signal))
  } catch (error) {
    if (signal?.aborted) await Promise.race([cancel(), sleep(LONGEST_CANCEL_MS, undefined, { ref: false })])
    throw error
  }
}

function addressOf({ id }: Job): string {
  return `v1/jobs/${id}`
}

/** @throws the signal's reason as soon as it fires */
function orAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal?.reason as unknown)
    signal?.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', stop))
  })
}

/**
 * It goes on until it has an id, as nobody could cancel the job otherwise. Where an answer was lost the job may be there: it is
 * asked for again under its key, since a try of the AI SDK's own would be another job.
 */
async function start(service: Service, path: string, body: object): Promise<Job> {
  const prefer = `respond-async, keep-result=${KEEP_SECONDS}`
  const headers = { prefer, 'idempotency-key': crypto.randomUUID() }
  let isLost = false
  for (let failures = 1, wait = FIRST_WAIT_MS; ; failures++, wait *= 2) {
    try {
      return jobSchema.parse(await service.send(path, { method: 'POST', body, headers }))
    } catch (error) {
      if (!APICallError.isInstance(error) || !error.isRetryable) throw error
      isLost ||= STATUSES_WITHOUT_ANSWER.includes(error.statusCode)
      if (!isLost) throw error
      // The job may go on.
      if (failures === MOST_STARTS) throw asLast(error)
    }
    await sleep(Math.min(wait, LONGEST_WAIT_MS))
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
      if (!mayPass) throw error
      if (++failures === MOST_FAILURES) throw asLast(error)
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
