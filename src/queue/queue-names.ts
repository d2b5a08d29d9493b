/** Kinds of work: a picture must not hold up decisions. */
export const QUEUES = ['decide', 'images'] as const

/** A kind of work that services put into queues. */
export type QueueName = (typeof QUEUES)[number]

/** The queue of one model for one kind of work, as BullMQ and the server know it. */
export type ModelQueue = `${QueueName}-${string}`

/** BullMQ takes no colons in names, and hub ids have a slash. */
export const queueOf = (work: QueueName, model: string): ModelQueue => `${work}-${encodeURIComponent(model)}`

export function partsOf(queue: ModelQueue): { readonly work: QueueName; readonly model: string } {
  const at = queue.indexOf('-')
  return { work: queue.slice(0, at) as QueueName, model: decodeURIComponent(queue.slice(at + 1)) }
}

/** Of all keys and topics on the server. */
export const PREFIX = 'tessera-queue'

/** Where workers are told which calls are cancelled. */
export const CANCEL_TOPIC = `${PREFIX}:cancel`

/** Ids of workers that have ever reported. */
export const WORKERS_KEY = `${PREFIX}:workers`

/** Queues that workers have taken calls from, with the time in milliseconds when one last said so. */
export const QUEUES_KEY = `${PREFIX}:queues`

export const workerKey = (id: string) => `${PREFIX}:worker:${id}`

/** Where a front is told how its calls go on. */
export const frontTopic = (front: string) => `${PREFIX}:front:${front}`

/** Where BullMQ keeps a call. */
export const callKey = (queue: ModelQueue, id: string) => `${PREFIX}:${queue}:${id}`

/** Field of a call there that nobody waits for any more, as it was answered or cancelled, until it leaves the queue. */
export const CALL_OVER = 'answered'

/** There, with the token of the worker that has a call, while that one has its lease. */
export const callLeaseKey = (queue: ModelQueue, id: string) => `${callKey(queue, id)}:lock`

/** What came of a call, until somebody takes it. */
export const outcomeKey = (id: string) => `${PREFIX}:outcome:${id}`

/** There for a while after a call was cancelled, for the worker that takes it in this moment. */
export const cancelledKey = (id: string) => `${PREFIX}:cancelled:${id}`

/** There while a worker works on a call and on no other. */
export const aloneKey = (id: string) => `${PREFIX}:alone:${id}`

/** How far the lanes of a queue have been served, and where the last call of each client stands. */
export const lanesKey = (queue: ModelQueue) => `${PREFIX}:${queue}:lanes`

/** Workers that have the model of a queue open, with the time in milliseconds until which they said so. */
export const openKey = (queue: ModelQueue) => `${PREFIX}:${queue}:open`

/** Jobs of services, which outlive the process that took them. */
export const jobKey = (id: string) => `${PREFIX}:job:${id}`

/** What a job answers, until it is over: whoever looks at the job needs none of it. */
export const jobRequestKey = (id: string) => `${PREFIX}:job-request:${id}`

/** What a job has answered, as long as it is kept: whoever looks at many jobs needs none of it. */
export const jobResultKey = (id: string) => `${PREFIX}:job-result:${id}`

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

/**
 * Where processes are told which jobs are to be cancelled. The topics of a server are those of all its databases: ids of calls and fronts are random, while that of a
 * job with an `Idempotency-Key` is the same in two fleets.
 */
export const jobCancelTopic = (database: number) => `${PREFIX}:job-cancel${database === 0 ? '' : `:${database}`}`

/** Webhooks that were not delivered yet, with the time in milliseconds of the next try of each. */
export const WEBHOOKS_KEY = `${PREFIX}:webhooks`

export const webhookKey = (id: string) => `${WEBHOOKS_KEY}:${id}`
