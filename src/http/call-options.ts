import type { Call } from './route.ts'

/** How a route calls the engine for whoever asks: fair over clients, and refused where too many wait. */
export function toCallOptions({ caller, noteTimings }: Pick<Call, 'caller' | 'noteTimings'>) {
  return { client: caller.id, whenBusy: 'refuse', onTimings: noteTimings } as const
}
