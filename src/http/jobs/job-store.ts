import type { Job } from './job.ts'

/** Where jobs are kept while they run, and for the time that was asked after their end. */
export interface JobStore {
  /**
   * Adds a job, unless there is one of its id already.
   *
   * @returns the one that was there
   * @throws RateLimitError where the account has too many; OverloadedError where there are too many in all. Both say
   *   when there will be room, where that is known
   */
  add(job: Job): Promise<Job | undefined>
  read(id: string): Promise<Job | undefined>
  /** Replaces a job that is there. One that is over is removed when its time is. */
  write(job: Job): Promise<void>
  remove(id: string): Promise<void>
  /** Jobs of an account, newest first, without their results. */
  list(account: string): Promise<Job[]>
  /** Forgets everything that this process holds. */
  close(): Promise<void>
}
