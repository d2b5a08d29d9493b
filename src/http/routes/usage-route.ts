import { z } from 'zod'
import { createJsonResponse } from '../json-response.ts'
import type { Route } from '../route.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { RecentRequests } from '../usage/recent-requests.ts'
import type { Usage } from '../usage/usage-rows.ts'

const count = z.int().nonnegative()
const euros = z.string().regex(/^-?\d+(\.\d+)?$/)

const used = {
  endpoint: z.enum(['decisions', 'generations', 'edits']),
  requests: count,
  input_tokens: count,
  images: count,
  /** EUR, exact. */
  cost: euros,
}

/** Body of `GET /v1/usage`: what the account of the key has used and has left. Days and months are those of UTC. */
export const usageSchema = z.object({
  account: z.string(),
  today: z.iso.date(),
  /** Null where the account has no allowance. */
  free_tokens: z.object({ given: count, left: count }).nullable(),
  /** EUR; null where nothing was paid in. */
  prepaid: z.object({ given: euros, left: euros }).nullable(),
  months: z.array(z.object({ month: z.string(), ...used })),
  days: z.array(z.object({ day: z.iso.date(), ...used })),
  /** Newest first, in this process alone. */
  recent: z.array(
    z.object({
      time: z.iso.datetime(),
      request_id: z.string(),
      route: z.string(),
      status: z.int(),
      milliseconds: count,
      /** Input tokens of a decision, else images. */
      units: count,
    }),
  ),
})

export type UsageReport = z.output<typeof usageSchema>

/** `GET /v1/usage`: an account's own usage, and that of no other. */
export function createUsageRoute(ledger: Ledger, recent: RecentRequests): Route {
  return {
    method: 'GET',
    path: '/v1/usage',
    access: 'key',
    dialect: 'systemone',
    async handle({ caller }) {
      const { id, freeTokens, prepaid } = caller
      const [months, days, left] = await Promise.all([
        ledger.usage(id),
        ledger.usageByDay(id),
        ledger.allowance(caller),
      ])
      return createJsonResponse({
        account: id,
        today: new Date().toISOString().slice(0, 10),
        free_tokens: freeTokens === undefined ? null : { given: freeTokens, left: left.freeTokens! },
        prepaid: prepaid === undefined ? null : { given: prepaid, left: left.prepaid! },
        months: months.map(({ month, ...usage }) => ({ month, ...toWire(usage) })),
        days: days.map(({ day, ...usage }) => ({ day, ...toWire(usage) })),
        recent: recent.list(id).map(({ time, requestId, milliseconds, ...request }) => ({
          time: new Date(time).toISOString(),
          request_id: requestId,
          milliseconds: Math.round(milliseconds),
          ...request,
        })),
      } satisfies UsageReport)
    },
  }
}

function toWire({ endpoint, requests, units, cost }: Usage) {
  const tokens = endpoint === 'decisions'
  return {
    endpoint: endpoint as UsageReport['days'][number]['endpoint'],
    requests,
    input_tokens: tokens ? units : 0,
    images: tokens ? 0 : units,
    cost,
  }
}
