import type { Periods } from './account.ts'
import { formatAmount } from './money.ts'

/** What one endpoint answered. */
export interface Usage {
  /** `decisions`, `generations` or `edits`. */
  readonly endpoint: string
  /** Requests that were answered. */
  readonly requests: number
  /** Input tokens on `decisions`, images elsewhere. */
  readonly units: number
  /** Of the units, those that cost nothing. */
  readonly freeUnits: number
  /** EUR, exact. */
  readonly cost: string
}

/** What one endpoint answered in a month. */
export interface MonthlyUsage extends Usage {
  /** Such as `2026-11`, in UTC. */
  readonly month: string
}

/** What one endpoint answered on a day. */
export interface DailyUsage extends Usage {
  /** Such as `2026-11-30`, in UTC. */
  readonly day: string
}

/** Oldest first. */
export function toRows(periods: Periods): [string, Usage][] {
  return [...periods]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([period, rows]) =>
      [...rows].map(([endpoint, row]): [string, Usage] => [period, { endpoint, ...row, cost: formatAmount(row.cost) }]),
    )
}
