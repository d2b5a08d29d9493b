import { type OverloadedError, StoreUnavailableError } from '../../errors/index.ts'
import type { SharedJobs } from './job-store.ts'
import type { Job } from './job.ts'
import { TakenOverError } from './taken-over-error.ts'

interface Keeper {
  /** Ids of the jobs that this process has. */
  underway(): readonly string[]
  resume(job: Job): void
  /** @param reason of the service; a client that cancels a job has none */
  cancel(id: string, reason?: StoreUnavailableError | OverloadedError): void
}

const BEAT_MS = 3000

/**
 * Keeps the jobs of this process its own, and takes over those of others that have ended.
 *
 * @returns what ends that
 */
export function keepShared(shared: SharedJobs | undefined, { underway, resume, cancel }: Keeper): () => void {
  if (shared === undefined) return () => {}
  shared.onCancel((id) => cancel(id))
  // Nobody can ask for its result any more, or cancel it, while the lines of a batch are charged.
  shared.onForgotten?.((id) => cancel(id, new StoreUnavailableError('the store has lost this job; send it again')))
  shared.onTaken?.((id) => cancel(id, new TakenOverError()))
  const resumeKnown = (job: Job) => {
    try {
      resume(job)
    } catch {
      // One of a route that another version has keeps none of those behind it; its lease ends, for a process that knows it.
    }
  }
  let isBeating = false
  const beat = async () => {
    // A store that is frozen would get the commands of all beats since then, and the memory of this process hold them.
    if (isBeating) return
    isBeating = true
    try {
      await shared.renew(underway())
      for (const job of await shared.takeOver()) resumeKnown(job)
    } finally {
      isBeating = false
    }
  }
  // A store that is away is asked again with the next beat.
  const timer = setInterval(() => void beat().catch(() => {}), BEAT_MS).unref()
  return () => clearInterval(timer)
}
