import * as z from 'zod'
import { createJsonResponse } from '../json-response.ts'
import type { Route } from '../route.ts'
import type { Ledger } from '../usage/ledger.ts'
import type { RecentRequests } from '../usage/recent-requests.ts'
import { leftSchema, toLeft, toWire, usedSchema } from '../usage/usage-wire.ts'

const count = z.int().nonnegative()

/** Body of `GET /v1/usage`: what the account of the key has used and has left. Days and months are those of UTC. */
export const usageSchema = z.object({
  account: z.string(),
  today: z.iso.date(),
  ...leftSchema,
  months: z.array(z.object({ month: z.string(), ...usedSchema })),
  days: z.array(z.object({ day: z.iso.date(), ...usedSchema })),
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
      const { id } = caller
      const [today, months, days, left] = await Promise.all([
        ledger.today(),
        ledger.usage(id),
        ledger.usageByDay(id),
        ledger.allowance(caller),
      ])
      return createJsonResponse({
        account: id,
        today,
        ...toLeft(caller, left),
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
