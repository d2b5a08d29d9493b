import { dayOf, monthOf } from '../usage/balance.ts'
import type { UsageStore } from '../usage/usage-store.ts'

export const AUDIT_ACTIONS = ['add', 'revoke', 'rotate', 'topup'] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What was changed, and by whom; nothing of requests, and no key. */
export interface AuditEntry {
  /** By the clock of the store, such as `2026-11-30T12:00:00.000Z`. */
  readonly time: string
  /** Name of the key that asked for it, or user and machine of the command line. */
  readonly actor: string
  readonly action: AuditAction
  readonly account: string
  /** Name of the key that was made or ended. */
  readonly key?: string | undefined
  readonly detail?: string | undefined
}

const KEPT = { keepMs: 400 * 24 * 3600 * 1000 }

/** Changes of keys and balances in the store. A month is kept for 400 days after its last entry. */
export class AuditTrail {
  readonly #store: UsageStore

  constructor(store: UsageStore) {
    this.#store = store
  }

  async record(entry: Omit<AuditEntry, 'time'>): Promise<void> {
    const { now } = await this.#store.read(nameOf(''))
    const change = (document: string | undefined, time: number) =>
      JSON.stringify([...read(document), { time: new Date(time).toISOString(), ...entry }])
    await this.#store.update(nameOf(monthOf(dayOf(now))), change, KEPT)
  }

  /** Oldest first. Months such as `2026-11`, both included. */
  async list(from: string, to: string): Promise<AuditEntry[]> {
    const names = (await this.#store.names(nameOf(''))).filter((name) => name >= nameOf(from) && name <= nameOf(to))
    const months = await Promise.all(names.sort().map((name) => this.#store.read(name)))
    return months.flatMap(({ document }) => read(document))
  }
}

function nameOf(month: string): string {
  return `audit:${month}`
}

function read(document: string | undefined): AuditEntry[] {
  return document === undefined ? [] : (JSON.parse(document) as AuditEntry[])
}
