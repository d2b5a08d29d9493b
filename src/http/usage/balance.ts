import type { Account, Hold } from './account.ts'
import { parseAmount } from './money.ts'
import type { Endpoint } from './prices.ts'

/** Such as `2026-11-30`, in UTC. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

export function monthOf(day: string): string {
  return day.slice(0, 7)
}

/** Free tokens of the month that a day is in, less those used and those held. */
export function tokensLeft({ months, holds }: Account, freeTokens: number, day: string, now: number): number {
  const month = monthOf(day)
  const used = [...(months.get(month)?.values() ?? [])].reduce((sum, row) => sum + row.freeUnits, 0)
  const reserved = live(holds, now).reduce((sum, hold) => sum + (monthOf(hold.day) === month ? hold.freeUnits : 0), 0)
  return Math.max(0, freeTokens - used - reserved)
}

/** Of the EUR that were paid in, in units of 10^-12. Negative where the setting is below what was spent. */
export function moneyLeft({ spent, holds }: Account, prepaid: string, now: number): bigint {
  const reserved = live(holds, now).reduce((sum, { cost }) => sum + cost, 0n)
  return parseAmount(prepaid, 'prepaid') - spent - reserved
}

/** The allowance first, then money. Free tokens are for decisions: an image has no tokens to set against them. */
export function splitUnits(endpoint: Endpoint, units: number, tokens: number, price: bigint) {
  const freeUnits = endpoint === 'decisions' ? Math.min(units, tokens) : 0
  return { freeUnits, cost: BigInt(units - freeUnits) * price }
}

/** A request that died with its process holds nothing. */
function live(holds: Account['holds'], now: number): Hold[] {
  return [...holds.values()].filter(({ expires }) => expires > now)
}
