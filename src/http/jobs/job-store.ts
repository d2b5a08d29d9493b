import type { KeptWebhooks } from '../webhooks/kept-webhooks.ts'
import type { Job } from './job.ts'

/** Where jobs are kept while they run, and for the time that was asked after their end. */
export interface JobStore {
  /**
   * Adds a job, unless there is one of its id already. One that has failed or was cancelled without a result is replaced.
   *
   * @returns the one that was there
   * @throws RateLimitError where the account has too many; OverloadedError where there are too many in all. Both say
   *   when there will be room, where that is known
   */
  add(job: Job): Promise<Job | undefined>
  /** The job of an id; undefined where there is none. */
  read(id: string): Promise<Job | undefined>
  /**
   * Replaces a job that is there and not over: its first end holds. One that is over is removed when its time is; where
   * processes share it, its webhook is kept in the same moment.
   *
   * @returns whether it was replaced
   */
  write(job: Job): Promise<boolean>
  /** Forgets a job, whatever its status. */
  remove(id: string): Promise<void>
  /**
   * Forgets a job whose request was refused, unless `add` has found it meanwhile: then it is to end as a job does.
   *
   * @returns whether it is forgotten
   * @throws StoreUnavailableError where it is not known yet. One without a digest, which nobody else can find, is forgotten then
   *   as soon as it can be
   */
  withdraw(job: Job): Promise<boolean>
  /** Jobs of an account, newest first, without their results; without those that cannot be read here. */
  list(account: string): Promise<Job[]>
  /** Where results lie apart from their jobs, and each who reads one has it in memory of its own. */
  readonly apart?: ResultsApart
  /** Where several processes share the jobs. */
  readonly shared?: SharedJobs
  /** Frees what the store holds open. Safe to call twice. */
  close(): Promise<void>
}

/** Jobs and their results, each for itself. */
export interface ResultsApart {
  /** The job of an id without its result; undefined where there is none. */
  readBrief(id: string): Promise<Job | undefined>
  /** JSON of the result of a job, without spaces between values; undefined where there is none. */
  readResult(id: string): Promise<Uint8Array | undefined>
}

/** What processes that share jobs tell each other. A job that nobody has is taken over by any of them. */
export interface SharedJobs {
  /** Says that this process still has these jobs; one that is not heard of for 15 seconds has none any more. */
  renew(ids: readonly string[]): Promise<void>
  /** Jobs that are not over and that nobody has. From now on this process has them. */
  takeOver(): Promise<Job[]>
  /** Leaves a job to the others, for whom it counts as never taken over: this process did not end by it. */
  release(id: string): Promise<void>
  /** Asks whoever has a job to cancel it. */
  cancel(id: string): Promise<void>
  /** Tells the others how far a job is that this process has; replaces what was told before. */
  tellNews(id: string, news: string): Promise<void>
  /** What was told of a job that runs. */
  readNews(id: string): Promise<string | undefined>
  /** Keeps a part of what a job that is not over has come to, for whoever takes it over; forgotten when the job is over. */
  keepPart(id: string, part: string): Promise<void>
  /** The parts that were kept of a job that is not over, in their order, without those that cannot be read here. */
  readParts(id: string): Promise<string[]>
  /** Webhooks of jobs that are over, which were not delivered yet. */
  readonly webhooks: KeptWebhooks
  /** Called with the id of each job that some process asks to be cancelled. */
  onCancel(listener: (id: string) => void): void
  /** Called with the id of each job that was renewed, of which the store knows nothing any more. */
  onForgotten?(listener: (id: string) => void): void
  /** Called with the id of each job that was renewed and is another process's, or was ended by it. */
  onTaken?(listener: (id: string) => void): void
}
