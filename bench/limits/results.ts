import type { Peak } from '../../src/cli/bench/measure-peak.ts'
import type { Summary } from '../../src/cli/bench/statistics.ts'

export interface Job {
  readonly name: string
  readonly time: Summary
  readonly gflop: number
  /** Weights that the job reads at least once a pass, in 10⁹ bytes, and how many passes it takes. */
  readonly gigabytes: number
  readonly limit: 'float32' | 'int8_blocks'
}

export interface LimitsResults {
  readonly peak: Peak
  /** Bytes a second, in 10⁹. */
  readonly bandwidth: Summary
  readonly jobs: readonly Job[]
}
