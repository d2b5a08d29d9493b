import type { Job } from '../../http/index.ts'

/** A job that is worked on, and gone once its owner has it. */
export const RUNNING_JOB: Job = {
  id: 'job_1',
  account: 'me',
  path: '/v1/systemone',
  status: 'running',
  createdAt: 1,
  keepMs: 0,
  bytes: 0,
}
