import type { Call } from './route.ts'

/**
 * How a route calls the engine for whoever asks: fair over clients, and refused where too many wait. A job waits, as
 * nobody does for it, and the lines of a batch give way.
 */
export function toCallOptions({ caller, noteTimings, job }: Pick<Call, 'caller' | 'noteTimings' | 'job'>) {
  return {
    client: caller.id,
    onTimings: noteTimings,
    priority: job?.isHalf ? 'half' : 'normal',
    whenBusy: job ? 'wait' : 'refuse',
  } as const
}
