import type { Progress } from '../jobs/job-context.ts'
import { ApiError } from './api.ts'
import { deleteJob, followJob, type Job, startJob } from './jobs-api.ts'
import { type JobForm, keepJob, readKeptJob } from './session.ts'

/** Whoever waits for pictures is told how far they are, and shown what they will be, as base64. */
export interface Watcher {
  /** Its place in the queue, 1 for the next. */
  onPlace(place: number): void
  onProgress(progress: Progress): void
  onPreview(picture: string): void
}

/** Previews of a picture that are asked for, as many as the service sends. */
const PREVIEWS = 3

/** Pictures as base64, and what the server warned of. */
export interface Pictures {
  readonly pictures: readonly string[]
  readonly warnings: readonly string[]
}

/** Pictures that are made in the background, so that they outlive the page that asked for them. */
export function createPictureJobs(form: JobForm, path: string) {
  return {
    /** Resolves with the pictures; the signal cancels the job. */
    async send(body: object, signal: AbortSignal, watcher: Watcher): Promise<Pictures> {
      const { id } = await startJob(path, { ...body, partial_images: PREVIEWS })
      keepJob(form, id)
      return readPictures(form, await finish(id, signal, watcher))
    },
    /** The same for the last job of this tab; undefined where there is none any more. */
    async resume(signal: AbortSignal, watcher: Watcher): Promise<Pictures | undefined> {
      const id = readKeptJob(form)
      if (id === undefined) return undefined
      try {
        return readPictures(form, await finish(id, signal, watcher))
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
        keepJob(form, undefined)
        return undefined
      }
    },
  }
}

async function finish(id: string, signal: AbortSignal, watcher: Watcher): Promise<Job> {
  if (signal.aborted) return deleteJob(id)
  try {
    return await followJob(id, signal, {
      onChange({ place, progress }) {
        if (place !== undefined) watcher.onPlace(place)
        if (progress) watcher.onProgress(progress)
      },
      onPreview: (picture) => watcher.onPreview(picture),
    })
  } catch (error) {
    if (!signal.aborted) throw error
    return deleteJob(id)
  }
}

/** A job may succeed a moment before it is cancelled: its pictures are paid for, and shown. */
function readPictures(form: JobForm, job: Job): Pictures {
  if (job.status === 'succeeded') return picturesOf(job)
  keepJob(form, undefined)
  if (job.error) throw errorOf(job.error)
  throw new DOMException('The job was cancelled.', 'AbortError')
}

/** The pictures of a job that succeeded. */
export function picturesOf({ result, warnings = [] }: Job): Pictures {
  const { data } = result as { readonly data: readonly { readonly b64_json: string }[] }
  return {
    pictures: data.map(({ b64_json }) => b64_json),
    warnings: (warnings as { readonly message: string }[]).map(({ message }) => message),
  }
}

/** Why a job has no answer. */
export function errorOf({ status, message, error_type: errorType }: NonNullable<Job['error']>): ApiError {
  return new ApiError(message, { status, errorType })
}
