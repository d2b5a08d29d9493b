import type { Ledger } from '../usage/ledger.ts'
import { toWire } from '../usage/usage-wire.ts'

/** Months such as `2026-11`, both included. */
export interface MonthRange {
  readonly from: string
  readonly to: string
}

/** What one account used of one endpoint in a month. */
export type ExportedUsage = { readonly month: string; readonly account: string } & ReturnType<typeof toWire>

/** Usage of all accounts, by account, then month. */
export async function exportUsage(ledger: Ledger, { from, to }: MonthRange): Promise<ExportedUsage[]> {
  const rows: ExportedUsage[] = []
  for (const account of await ledger.accounts()) {
    const months = (await ledger.usage(account)).filter(({ month }) => month >= from && month <= to)
    rows.push(...months.map(({ month, ...usage }) => ({ month, account, ...toWire(usage) })))
  }
  return rows
}

const COLUMNS = ['month', 'account', 'endpoint', 'requests', 'input_tokens', 'images', 'cost'] as const

/** RFC 4180, with a row of names. */
export function toCsv(rows: readonly ExportedUsage[]): string {
  const lines = rows.map((row) => COLUMNS.map((column) => quote(String(row[column]))).join(','))
  return [COLUMNS.join(','), ...lines, ''].join('\r\n')
}

function quote(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}
