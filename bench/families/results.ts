import type { Summary } from '../../src/cli/bench/statistics.ts'

/** Questions on one short message, in one call, and each in a call of its own. */
export interface Sharing {
  readonly questions: number
  readonly together: Summary
  readonly separate: Summary
}

/** What one process measures of one checkpoint; times are those of the processor, on one thread. */
export interface FamilyFigures {
  /** Memory without mapped files that opening it took, and at the end of calls on a longer text, in MiB. */
  readonly open_mib: number
  readonly busy_mib: number
  /** All memory of the process at that end, with what it has touched of mapped files. */
  readonly resident_mib: number
  /** Of the request that is timed as `read`, which has one question. */
  readonly tokens: number
  readonly read: Summary
  /** Of models that see state and question together. */
  readonly sharing?: Sharing
}

export interface Family extends FamilyFigures {
  readonly name: string
  readonly weights: string
  readonly parameters: number
  readonly file_mib: number
}

export interface FamiliesResults {
  readonly families: readonly Family[]
}
