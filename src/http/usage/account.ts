/** What one endpoint answered in a month or on a day. */
export interface UsageRow {
  readonly requests: number
  /** Input tokens on `decisions`, images elsewhere. */
  readonly units: number
  /** Part of the units that the allowance paid. */
  readonly freeUnits: number
  /** In units of 10^-12 EUR. */
  readonly cost: bigint
}

/** Units set aside for a request that runs. */
export interface Hold {
  /** Such as `2026-11-30`: an answer is charged to the day it was asked on. */
  readonly day: string
  readonly freeUnits: number
  readonly cost: bigint
  /** By the clock of the store, in milliseconds since 1970. A process that lives puts it off; see `Leases`. */
  readonly expires: number
}

/** Rows by period, then endpoint. */
export type Periods = Map<string, Map<string, UsageRow>>

/** The money and tokens of one key. */
export interface Account {
  /** All that was ever charged, in units of 10^-12 EUR. */
  spent: bigint
  /** By month, such as `2026-11`; kept for good. */
  readonly months: Periods
  /** By day, such as `2026-11-30`; the last `DAYS_KEPT` on which anything was answered. */
  readonly days: Periods
  readonly holds: Map<string, Hold>
  /**
   * Ids of charges of which it is not known whether the process that made them heard that they were made, and when they
   * are forgotten, in milliseconds since 1970. Such a charge is tried again, and must not be made twice.
   */
  readonly charged: Map<string, number>
}

/** The document of an account is rewritten with every answer, so what it holds must not grow without end. */
const DAYS_KEPT = 92

type Written<T> = Omit<T, 'cost'> & { readonly cost: string }
type WrittenPeriods = readonly (readonly [string, readonly (readonly [string, Written<UsageRow>])[]])[]

interface AccountDocument {
  readonly version: 1
  readonly spent: string
  readonly months: WrittenPeriods
  readonly days: WrittenPeriods
  readonly holds: readonly (readonly [string, Written<Hold>])[]
  /** Absent where none is kept. */
  readonly charged?: readonly (readonly [string, number])[]
}

export function readAccount(document: string | undefined): Account {
  if (document === undefined) {
    return { spent: 0n, months: new Map(), days: new Map(), holds: new Map(), charged: new Map() }
  }
  const { spent, months, days, holds, charged = [] } = JSON.parse(document) as AccountDocument
  return {
    spent: BigInt(spent),
    months: readPeriods(months),
    days: readPeriods(days),
    holds: new Map(holds.map(withBigInt)),
    charged: new Map(charged),
  }
}

export function writeAccount({ spent, months, days, holds, charged }: Account): string {
  const document: AccountDocument = {
    version: 1,
    spent: String(spent),
    months: writePeriods(months),
    days: writePeriods(days),
    holds: [...holds].map(withText),
    ...(charged.size > 0 && { charged: [...charged] }),
  }
  return JSON.stringify(document)
}

/** Adds an answer to the row of an endpoint. */
export function addToPeriod(
  periods: Periods,
  period: string,
  endpoint: string,
  used: Omit<UsageRow, 'requests'>,
): void {
  const rows = periods.get(period) ?? new Map<string, UsageRow>()
  const row = rows.get(endpoint) ?? { requests: 0, units: 0, freeUnits: 0, cost: 0n }
  rows.set(endpoint, {
    requests: row.requests + 1,
    units: row.units + used.units,
    freeUnits: row.freeUnits + used.freeUnits,
    cost: row.cost + used.cost,
  })
  periods.set(period, rows)
}

/** Forgets holds of processes that are gone, and charges that nobody will try again. */
export function dropExpired({ holds, charged }: Account, now: number): void {
  for (const [id, { expires }] of holds) if (expires <= now) holds.delete(id)
  for (const [id, expires] of charged) if (expires <= now) charged.delete(id)
}

/** Forgets days beyond those that are kept. An answer may come later than one asked after it, so days have no order. */
export function dropOldDays({ days }: Account): void {
  for (const day of [...days.keys()].sort().slice(0, -DAYS_KEPT)) days.delete(day)
}

function readPeriods(periods: WrittenPeriods): Periods {
  return new Map(periods.map(([period, rows]) => [period, new Map(rows.map(withBigInt))]))
}

function writePeriods(periods: Periods): WrittenPeriods {
  return [...periods].map(([period, rows]) => [period, [...rows].map(withText)])
}

function withBigInt<T extends { readonly cost: string }>([name, row]: readonly [string, T]) {
  return [name, { ...row, cost: BigInt(row.cost) }] as const
}

function withText<T extends { readonly cost: bigint }>([name, row]: readonly [string, T]) {
  return [name, { ...row, cost: String(row.cost) }] as const
}
