import type { Job } from '../jobs/job.ts'

/** A job that is over, as far as its webhook tells of it: what was asked and answered is not kept until a receiver takes it. */
export type EndedJob = Pick<Job, 'id' | 'account' | 'status' | 'path' | 'createdAt' | 'endedAt' | 'counts' | 'webhook'>

export function describeEnd({ id, account, status, path, createdAt, endedAt, counts, webhook }: Job): EndedJob {
  return {
    id,
    account,
    status,
    path,
    createdAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(counts && { counts }),
    ...(webhook !== undefined && { webhook }),
  }
}

/** A webhook that is still to be delivered. */
export interface KeptWebhook {
  /** The job that it tells of. */
  readonly job: EndedJob
  /** How often it was tried already. */
  readonly tries: number
}

/**
 * Webhooks that processes share: each is kept from the moment in which its job is over until it was delivered or is given
 * up. A process has it while it tries, and none between two tries.
 */
export interface KeptWebhooks {
  /** Webhooks whose next try is due, so many at most. For `leaseMs` milliseconds no other process gets them. */
  take(most: number, leaseMs: number): Promise<KeptWebhook[]>
  /** Leaves one to whichever process is there in `waitMs` milliseconds; nothing where it was forgotten meanwhile. */
  leave(webhook: KeptWebhook, waitMs: number): Promise<void>
  /** Forgets one that was delivered or is given up. */
  forget(webhook: KeptWebhook): Promise<void>
}
