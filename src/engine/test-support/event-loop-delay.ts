import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface EventLoopDelay<T> {
  readonly result: T
  /** Longest and 99th-percentile time that a timer of this thread came late, in milliseconds. */
  readonly maxMs: number
  readonly p99Ms: number
}

/** Does some work and measures how long it kept this thread's event loop from turning. */
export async function measureEventLoopDelay<T>(work: () => Promise<T>, resolutionMs = 5): Promise<EventLoopDelay<T>> {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  try {
    const result = await work()
    // The timer that the work delayed has to fire before the histogram knows of it.
    await new Promise((resolve) => setTimeout(resolve, 2 * resolutionMs))
    return { result, maxMs: histogram.max / 1e6, p99Ms: histogram.percentile(99) / 1e6 }
  } finally {
    histogram.disable()
  }
}
