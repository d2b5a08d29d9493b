import type { BackendName } from '../../src/backends/index.ts'
import type { Summary } from '../../src/cli/bench/statistics.ts'

export interface Cell {
  readonly job: string
  readonly backend: BackendName
  readonly weights: string
  /** Absent where it did not run. */
  readonly time?: Summary
  readonly startup_ms?: number
  readonly resident_mib?: number
  /** Largest distance of a value from that of cpu with float32 weights, in units of the largest value. */
  readonly deviation?: number
  readonly reason?: string
}

export interface BackendsResults {
  readonly cells: readonly Cell[]
  readonly missing: readonly { readonly backend: BackendName; readonly reason: string }[]
}
