import type * as z from 'zod'
import type { jobListSchema, jobSchema } from '../http/jobs/job-wire.ts'
import { ApiError, post, send } from './api.ts'
import { readEventStream } from './event-stream.ts'

/** A job as the service describes it. */
export type Job = z.output<typeof jobSchema>

/** Whoever follows a job is told of each change, and shown what its pictures will be, as base64. */
export interface JobWatcher {
  onChange(job: Job): void
  onPreview(picture: string): void
}

const address = (id: string) => `v1/jobs/${encodeURIComponent(id)}`

export function isOver({ status }: Job): boolean {
  return status !== 'queued' && status !== 'running'
}

/** Starts a request in the background. It is not stopped before it has an id, as nobody could find it then. */
export async function startJob(path: string, body: object): Promise<Job> {
  return (await post(path, body, { headers: { prefer: 'respond-async' } })).json() as Promise<Job>
}

export async function listJobs(): Promise<Job[]> {
  const { data } = (await (await send('v1/jobs', {})).json()) as z.output<typeof jobListSchema>
  return data
}

/** Stops a job, or removes one that is over. Resolves with what became of it. */
export async function deleteJob(id: string): Promise<Job> {
  return (await send(address(id), { method: 'DELETE' })).json() as Promise<Job>
}

/** Results of a batch, as JSON Lines. */
export async function readBatchResults(id: string): Promise<Blob> {
  return (await send(`v1/batches/${encodeURIComponent(id)}/results`, {})).blob()
}

/** Follows a job until it is over, and resolves with its end. The signal stops following, and not the job. */
export async function followJob(id: string, signal: AbortSignal, watcher: JobWatcher): Promise<Job> {
  const response = await send(`${address(id)}/events`, { signal })
  try {
    for await (const { event, data = '{}' } of readEventStream(response.body!)) {
      if (event?.endsWith('.partial_image')) watcher.onPreview((JSON.parse(data) as { b64_json: string }).b64_json)
      if (!event?.startsWith('job.')) continue
      const job = JSON.parse(data) as Job
      watcher.onChange(job)
      if (isOver(job)) return job
    }
  } catch (error) {
    // What the browser says of a connection that broke off is of no use to anyone.
    if (signal.aborted || !(error instanceof TypeError)) throw error
  }
  throw new ApiError('The connection broke off. The job goes on: reload the page, or look under Jobs.')
}
