import { tell } from '../../jobs/tell.ts'

/** Where the time of a call went. */
export interface CallTimings {
  /** Model that did the work; as `ModelInfo.id`. */
  readonly model: string
  /** Milliseconds until its first turn to compute: it waited for a place, for its model to be opened, and for others. */
  readonly queueMs: number
  /** Milliseconds from then on, in which calls that run at the same time take turns. */
  readonly computeMs: number
}

/** What the other end says of a call that it has ended. */
export interface Served {
  readonly model: string
  /** 0 where it never had a turn. */
  readonly computeMs: number
}

/**
 * Starts to measure a call, and returns what tells of it.
 *
 * @returns a function that is given what the other end says, and what is told of what the caller's own code throws
 */
export function startTiming(
  onTimings: ((timings: CallTimings) => void) | undefined,
): (served: Served | undefined, fail: (error: unknown) => void) => void {
  const started = performance.now()
  return (served, fail) => {
    if (onTimings === undefined || served === undefined) return
    const { model, computeMs } = served
    // The ends have clocks of their own, of which only differences can be compared.
    tell(onTimings, { model, computeMs, queueMs: Math.max(0, performance.now() - started - computeMs) }, fail)
  }
}
