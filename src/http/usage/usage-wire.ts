import * as z from 'zod'
import type { Allowance, Payer } from './ledger.ts'
import type { Usage } from './usage-rows.ts'

const count = z.int().nonnegative()
const euros = z.string().regex(/^-?\d+(\.\d+)?$/)

/** What one endpoint answered, as it is sent. */
export const usedSchema = {
  endpoint: z.enum(['decisions', 'generations', 'edits']),
  requests: count,
  input_tokens: count,
  images: count,
  /** EUR, exact. */
  cost: euros,
}

/** What an account has left, as it is sent. */
export const leftSchema = {
  /** Null where the account has no allowance. */
  free_tokens: z.object({ given: count, left: count }).nullable(),
  /** EUR; null where nothing was paid in. */
  prepaid: z.object({ given: euros, left: euros }).nullable(),
}

export function toWire({ endpoint, requests, units, cost }: Usage) {
  const tokens = endpoint === 'decisions'
  return {
    endpoint: endpoint as z.output<typeof usedSchema.endpoint>,
    requests,
    input_tokens: tokens ? units : 0,
    images: tokens ? 0 : units,
    cost,
  }
}

export function toLeft({ freeTokens, prepaid }: Payer, left: Allowance) {
  return {
    free_tokens: freeTokens === undefined ? null : { given: freeTokens, left: left.freeTokens! },
    prepaid: prepaid === undefined ? null : { given: prepaid, left: left.prepaid! },
  }
}
