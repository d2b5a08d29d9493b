/** Kinds of work, each with a queue of its own: a picture must not hold up decisions. */
export const QUEUES = ['decide', 'images'] as const

/** Name of one of the queues that services put calls into. */
export type QueueName = (typeof QUEUES)[number]

/** Of all keys and topics on the server. */
export const PREFIX = 'tessera-queue'

/** Where workers are told which calls are cancelled. */
export const CANCEL_TOPIC = `${PREFIX}:cancel`

/** Ids of workers that have ever reported. */
export const WORKERS_KEY = `${PREFIX}:workers`

export const workerKey = (id: string) => `${PREFIX}:worker:${id}`

/** Where a front is told how its calls go on. */
export const frontTopic = (front: string) => `${PREFIX}:front:${front}`

/** What came of a call, until somebody takes it. */
export const outcomeKey = (id: string) => `${PREFIX}:outcome:${id}`

/** There for a while after a call was cancelled, for the worker that takes it in this moment. */
export const cancelledKey = (id: string) => `${PREFIX}:cancelled:${id}`

/** There while a worker works on a call and on no other. */
export const aloneKey = (id: string) => `${PREFIX}:alone:${id}`

/** How far the lanes of a queue have been served, and where the last call of each client stands. */
export const lanesKey = (queue: QueueName) => `${PREFIX}:${queue}:lanes`

/** Jobs of services, which outlive the process that took them. */
export const jobKey = (id: string) => `${PREFIX}:job:${id}`

/** There as long as some process has the job. */
export const jobLeaseKey = (id: string) => `${PREFIX}:job-lease:${id}`

/** There when a process has told somebody of a job that another process may not have admitted yet. */
export const jobToldKey = (id: string) => `${PREFIX}:job-told:${id}`

/** How far a job is that runs, for other processes. */
export const jobNewsKey = (id: string) => `${PREFIX}:job-news:${id}`

/** What a job that runs has come to, in parts, for a process that takes it over. */
export const jobPartsKey = (id: string) => `${PREFIX}:job-parts:${id}`

/** Ids of the jobs of an account. */
export const jobsKey = (account: string) => `${PREFIX}:jobs:${account}`

/** Ids of jobs that are not over. */
export const OPEN_JOBS_KEY = `${PREFIX}:open-jobs`

/** Where processes are told which jobs are to be cancelled. */
export const JOB_CANCEL_TOPIC = `${PREFIX}:job-cancel`
