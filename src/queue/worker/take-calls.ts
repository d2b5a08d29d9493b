import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Processor, Worker, WorkerOptions } from 'bullmq'
import { loadBullmq } from '../load-bullmq.ts'
import type { ModelQueue } from '../queue-names.ts'
import type { QueuedData } from '../queued-call.ts'
import { OPEN_FIRST_MS, type OpenFirst } from './open-first.ts'
import type { Slots } from './slots.ts'

/** What the queues of a worker share. */
export interface Taking {
  readonly slots: Slots
  readonly openFirst: OpenFirst
}

/**
 * Takes calls from a queue. It takes one only when a slot is free, so that it holds none that another worker could begin, and
 * gives the slot on when a queue of another model waits for one. Workers that have the model open come first.
 */
export async function takeCalls(
  queue: ModelQueue,
  processor: Processor<QueuedData>,
  options: WorkerOptions,
  { slots, openFirst }: Taking,
): Promise<Worker<QueuedData>> {
  const bullmq = await loadBullmq()
  class SharingWorker extends bullmq.Worker<QueuedData> {
    protected override async moveToActive(token: string, name?: string): Promise<Job<QueuedData>> {
      const { mayTake, next } = await openFirst.look(queue)
      if (!mayTake) {
        if (next === undefined) return this.#takeNone()
        await sleep(OPEN_FIRST_MS)
      }
      await slots.take()
      let job: Job<QueuedData> | undefined
      try {
        const isOurs = mayTake || (await openFirst.look(queue, next)).mayTake
        if (!this.closing) job = await (isOurs ? super.moveToActive(token, name) : this.#takeNone())
      } finally {
        if (job === undefined) slots.give()
      }
      // BullMQ's types leave out that there may be none.
      return job!
    }

    /** As if the queue were empty: BullMQ waits for the next sign that something is in it. */
    #takeNone(): Promise<Job<QueuedData>> {
      return this.nextJobFromJobData()
    }

    /** The next call that BullMQ fetches as it ends this one has this one's slot. */
    override async processJob(job: Job<QueuedData>, token: string, mayFetch = () => true) {
      let next: void | Job<QueuedData> = undefined
      try {
        next = await super.processJob(job, token, () => !slots.isWanted && mayFetch())
      } finally {
        if (!next) slots.give()
      }
      return next
    }
  }
  return new SharingWorker(queue, processor, options)
}
