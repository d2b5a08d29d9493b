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

/** An entry as it is kept. */
interface KeptEntry extends AuditEntry {
  /** Of a change that may be asked for again. */
  readonly digest?: string | undefined
}

/** Tries of the same change come within minutes. The same name may be another change's after a day. */
const AGAIN_MS = 3600 * 1000

const KEPT = { keepMs: 400 * 24 * 3600 * 1000 }

/** Changes of keys and balances in the store. A month is kept for 400 days after its last entry. */
export class AuditTrail {
  readonly #store: UsageStore

  constructor(store: UsageStore) {
    this.#store = store
  }

  /** @param digest Of a change that may be asked for again, several times at once too: it is recorded once. */
  async record(entry: Omit<AuditEntry, 'time'>, digest?: string): Promise<void> {
    const { now } = await this.#store.read(nameOf(''))
    const change = (document: string | undefined, time: number) => {
      const entries = read(document)
      const isKnown = (other: KeptEntry) =>
        // One of another sum is another change.
        other.digest === digest && other.detail === entry.detail && Date.parse(other.time) > time - AGAIN_MS
      if (digest !== undefined && entries.some(isKnown)) return document
      return JSON.stringify([...entries, { time: new Date(time).toISOString(), ...entry, digest }])
    }
    await this.#store.update(nameOf(monthOf(dayOf(now))), change, KEPT)
  }

  /** Oldest first. Months such as `2026-11`, both included. */
  async list(from: string, to: string): Promise<AuditEntry[]> {
    const names = (await this.#store.names(nameOf(''))).filter((name) => name >= nameOf(from) && name <= nameOf(to))
    const months = await Promise.all(names.sort().map((name) => this.#store.read(name)))
    return months.flatMap(({ document }) => read(document).map(({ digest: _digest, ...entry }) => entry))
  }
}

function nameOf(month: string): string {
  return `audit:${month}`
}

function read(document: string | undefined): KeptEntry[] {
  return document === undefined ? [] : (JSON.parse(document) as KeptEntry[])
}
