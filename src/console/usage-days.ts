import type { UsageReport } from '../http/routes/usage-route.ts'

export const ENDPOINTS = ['decisions', 'generations', 'edits'] as const

export type Measure = 'requests' | 'input_tokens' | 'images' | 'cost'
type Row = UsageReport['days'][number]

export interface Day {
  readonly day: string
  /** Rows of this day; an endpoint that answered nothing has none. */
  readonly rows: readonly Row[]
}

const DAY_MS = 24 * 3600 * 1000

/** The last days up to today, oldest first, with those on which nothing was answered. */
export function lastDays({ today, days }: Pick<UsageReport, 'today' | 'days'>, count: number): Day[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.parse(today) - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10)
    return { day, rows: days.filter((row) => row.day === day) }
  })
}

/** The use of one endpoint on a day. Money is good enough as a float here: it is only drawn. */
export function valueOf({ rows }: Day, endpoint: string, measure: Measure): number {
  return rows.filter((row) => row.endpoint === endpoint).reduce((sum, row) => sum + Number(row[measure]), 0)
}

export function totalOf(day: Day, measure: Measure): number {
  return ENDPOINTS.reduce((sum, endpoint) => sum + valueOf(day, endpoint, measure), 0)
}

/** About so many of an axis. */
const STEPS = 4

/**
 * Round numbers for an axis from 0 to at least `most`: steps of 1, 2 or 5 times a power of ten.
 *
 * @param least Smallest step that makes sense, 1 for what is counted
 */
export function axisTicks(most: number, least: number): number[] {
  const rough = Math.max(most / STEPS, least)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999)!
  const steps = Math.max(1, Math.ceil(most / step - 1e-9))
  return Array.from({ length: steps + 1 }, (_, index) => index * step)
}
