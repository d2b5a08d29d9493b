import { randomUUID } from 'node:crypto'
import { digest } from '../digest.ts'
import type { Job, JobRequest } from './job.ts'

export interface JobOrder {
  readonly account: string
  readonly path: string
  readonly keepMs: number
  readonly request: JobRequest
  /** Address that is told of its end. */
  readonly webhook?: string | undefined
  /** SHA-256 of the request, where it has an `Idempotency-Key`. */
  readonly digest?: string | undefined
}

/** An id is no secret: only the account of a job is told of it. That of a key is the same for every try. */
export function makeJob({ account, path, keepMs, request, webhook, digest: ownDigest }: JobOrder): Job {
  const key = request.idempotencyKey
  const name = key !== undefined ? digest(`${account}\n${key}`) : randomUUID().replaceAll('-', '')
  return {
    id: `job_${name.slice(0, 32)}`,
    account,
    path,
    keepMs,
    status: 'queued',
    createdAt: Date.now(),
    bytes: 0,
    request,
    ...(webhook !== undefined && { webhook }),
    ...(ownDigest !== undefined && { digest: ownDigest }),
  }
}

/** @param isShared whether another process may take it over: then the charge has the name of the job, so that it is made once */
export function requestOf({ id, request, digest: own, takenOver = 0 }: Job, isShared: boolean): JobRequest {
  const named = { ...request!, ...(own !== undefined && { digest: own }), isTakenOver: takenOver > 0 }
  return isShared ? { idempotencyKey: id, ...named } : named
}

/** As it is kept when it is over. */
export function withoutRequest({ request: _request, ...job }: Job): Job {
  return job
}
