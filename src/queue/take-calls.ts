import type { Job, Processor, Worker, WorkerOptions } from 'bullmq'
import { loadBullmq } from './load-bullmq.ts'
import type { ModelQueue } from './queue-names.ts'
import type { QueuedData } from './queued-call.ts'
import type { Slots } from './slots.ts'

/**
 * Takes calls from a queue. It takes one only when a slot is free, so that it holds none that another worker could begin, and
 * gives the slot on when a queue of another model waits for one.
 */
export async function takeCalls(
  queue: ModelQueue,
  processor: Processor<QueuedData>,
  options: WorkerOptions,
  slots: Slots,
): Promise<Worker<QueuedData>> {
  const bullmq = await loadBullmq()
  class SharingWorker extends bullmq.Worker<QueuedData> {
    protected override async moveToActive(token: string, name?: string): Promise<Job<QueuedData>> {
      await slots.take()
      let job: Job<QueuedData> | undefined
      try {
        // BullMQ's types leave out that there may be none.
        if (!this.closing) job = await super.moveToActive(token, name)
      } finally {
        if (job === undefined) slots.give()
      }
      return job!
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
