import * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import { monthOf } from '../usage/balance.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { MonthRange } from './usage-export.ts'

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-11')

/** Months that are asked for. */
export const rangeSchema = z.strictObject({ from: month.optional(), to: month.optional() })

/**
 * Months that are asked for, by default that of the store's clock.
 *
 * @throws InvalidRequestError for a range that ends before it begins
 */
export async function resolveRange(ledger: Ledger, { from, to }: z.output<typeof rangeSchema>): Promise<MonthRange> {
  const last = to ?? monthOf(await ledger.today())
  const first = from ?? last
  if (first > last) throw new InvalidRequestError('from', `must not be after ${last}, got ${first}`)
  return { from: first, to: last }
}
