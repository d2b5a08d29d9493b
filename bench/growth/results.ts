import type { Summary } from '../../src/cli/bench/statistics.ts'

export interface Curve {
  readonly name: string
  /** What grows. */
  readonly over: 'state tokens' | 'questions' | 'pixels' | 'clients'
  readonly points: readonly {
    readonly x: number
    readonly time: Summary
    /** More than before the call; left out where it was not looked at. */
    readonly memory_mib?: number
  }[]
}

export interface GrowthResults {
  readonly layers: number
  readonly curves: readonly Curve[]
}
