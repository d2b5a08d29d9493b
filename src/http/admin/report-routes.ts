import * as z from 'zod'
import { parseRequest } from '../../schemas/parse-request.ts'
import { createJsonResponse } from '../json-response.ts'
import type { Call, Route } from '../route.ts'
import type { Ledger, Payer } from '../usage/ledger.ts'
import { leftSchema, toLeft, usedSchema } from '../usage/usage-wire.ts'
import { ADMIN } from './admin-route.ts'
import { AUDIT_ACTIONS, type AuditTrail } from './audit-trail.ts'
import { rangeSchema, resolveRange } from './month-range.ts'
import { exportUsage, toCsv } from './usage-export.ts'

/** Null also where the keys of an account are gone, so that nobody knows what it was given. */
export const balancesSchema = z.object({ accounts: z.array(z.object({ account: z.string(), ...leftSchema })) })

const range = { from: z.string(), to: z.string() }

export const exportSchema = z.object({
  ...range,
  rows: z.array(z.object({ month: z.string(), account: z.string(), ...usedSchema })),
})

export const auditSchema = z.object({
  ...range,
  entries: z.array(
    z.object({
      time: z.iso.datetime(),
      /** Name of the key that asked for it, or user and machine of the command line. */
      actor: z.string(),
      action: z.enum(AUDIT_ACTIONS),
      account: z.string(),
      /** Name of the key that was made or ended. */
      key: z.string().optional(),
      detail: z.string().optional(),
    }),
  ),
})

const exportQuerySchema = rangeSchema.extend({ format: z.enum(['json', 'csv']).default('json') })

interface Reports {
  readonly ledger: Ledger
  readonly trail: AuditTrail
  /** Whose keys there are. */
  payers(): Promise<readonly Payer[]>
}

/** Routes that report on all accounts. */
export function createReportRoutes({ ledger, trail, payers }: Reports): Route[] {
  async function reportBalances(): Promise<Response> {
    const byName = new Map<string, Payer>((await ledger.accounts()).map((id) => [id, { id }]))
    for (const payer of await payers()) byName.set(payer.id, payer)
    const accounts: z.input<typeof balancesSchema>['accounts'] = []
    for (const payer of [...byName.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      accounts.push({ account: payer.id, ...toLeft(payer, await ledger.allowance(payer)) })
    }
    return createJsonResponse({ accounts } satisfies z.input<typeof balancesSchema>)
  }

  async function reportUsage({ query }: Call): Promise<Response> {
    const { format, ...asked } = parseRequest(exportQuerySchema, Object.fromEntries(query))
    const months = await resolveRange(ledger, asked)
    const rows = await exportUsage(ledger, months)
    if (format === 'csv') return new Response(toCsv(rows), { headers: { 'content-type': 'text/csv; charset=utf-8' } })
    return createJsonResponse({ ...months, rows } satisfies z.input<typeof exportSchema>)
  }

  async function reportAudit({ query }: Call): Promise<Response> {
    const months = await resolveRange(ledger, parseRequest(rangeSchema, Object.fromEntries(query)))
    const entries = await trail.list(months.from, months.to)
    return createJsonResponse({ ...months, entries } satisfies z.input<typeof auditSchema>)
  }

  return [
    { ...ADMIN, method: 'GET', path: '/v1/admin/accounts', handle: reportBalances },
    { ...ADMIN, method: 'GET', path: '/v1/admin/usage', handle: reportUsage },
    { ...ADMIN, method: 'GET', path: '/v1/admin/audit', handle: reportAudit },
  ]
}
