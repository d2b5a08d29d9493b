import type { Progress } from '../../jobs/job-context.ts'

/** What is told of work that has shown nothing yet: it waits for others. */
const UNKNOWN_MS = 10_000
const LEAST_MS = 1000
/** Official clients wait a minute at most. */
const MOST_MS = 55_000

/** Work that shares a processor slows down when others come. */
const MARGIN = 1.25

/** When work may be done, by how far it is and how long that took. */
export class Pace {
  #stage: string | undefined
  #began = 0
  #share = 0

  /** Takes note of how far the work is. */
  note({ stage, done, total }: Progress): void {
    if (stage !== this.#stage) this.#began = performance.now()
    this.#stage = stage
    this.#share = total > 0 ? done / total : 0
  }

  /** Milliseconds until it may be done, 1 to 55 seconds. */
  remaining(): number {
    if (this.#share === 0) return UNKNOWN_MS
    const left = ((performance.now() - this.#began) * (1 - this.#share)) / this.#share
    return Math.min(MOST_MS, Math.max(LEAST_MS, left * MARGIN))
  }
}
