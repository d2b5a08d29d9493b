import { errorFromJSON } from '../../errors/index.ts'
import { tell, warnOf } from '../../jobs/tell.ts'
import type { ListeningOptions } from '../calls/call-options.ts'
import { startTiming } from '../calls/call-timings.ts'
import type { CallKind, Calls } from '../jobs.ts'
import { withCall } from './error-with-call.ts'
import type { Ended, News, RunMessage } from './protocol.ts'

/** A call on its way through a dispatcher. */
export interface Job {
  readonly client: string
  readonly isHalf: boolean
  readonly message: RunMessage
  /** Made where the call was. */
  readonly call: Error
  /** Whom to tell how far it is; nobody once it was abandoned. */
  listeners: Pick<ListeningOptions, 'onProgress' | 'onPreview'>
  isAbandoned: boolean
  readonly told: ReturnType<typeof startTiming>
  resolve(response: Calls[CallKind]['response']): void
  reject(error: unknown): void
}

export function createJob(
  message: RunMessage,
  { client = '', priority, onProgress, onPreview, onTimings }: ListeningOptions,
  ends: Pick<Job, 'resolve' | 'reject'>,
): Job {
  return {
    client,
    isHalf: priority === 'half',
    message,
    call: new Error('call'),
    listeners: { onProgress, onPreview },
    isAbandoned: false,
    told: startTiming(onTimings),
    ...ends,
  }
}

/** @param fail given what the caller's own code throws */
export function tellJob({ listeners }: Job, news: News, fail: (error: unknown) => void): void {
  if (news.type === 'progress') tell(listeners.onProgress, news.progress, fail)
  else tell(listeners.onPreview, news.preview, fail)
}

/** What the caller's own code throws when it is told of the times ends the call, unless the call is over by then. */
export function endJob(job: Job, message: Ended): void {
  let end = (error: unknown) => job.reject(error)
  if (!job.isAbandoned) job.told(message.served, (error) => end(error))
  end = warnOf
  if (message.type === 'result') job.resolve(message.response)
  else job.reject(withCall(errorFromJSON(message.error), job.call))
}
