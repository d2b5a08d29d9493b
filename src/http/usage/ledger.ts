import { randomUUID } from 'node:crypto'
import { InsufficientQuotaError } from '../../errors/index.ts'
import { type Account, type Hold, readAccount, type UsageRow, writeAccount } from './account.ts'
import { formatAmount, parseAmount } from './money.ts'
import { type Endpoint, type Prices, readPrices } from './prices.ts'
import type { UsageStore } from './usage-store.ts'

/** Who pays. An account with neither an allowance nor prepaid money has no limit. */
export interface Payer {
  /** Name of the account. */
  readonly id: string
  /** Input tokens a calendar month (UTC) that cost nothing. */
  readonly freeTokens?: number
  /** All that was ever paid in, in EUR as a decimal string. */
  readonly prepaid?: string
}

export interface MonthlyUsage {
  /** Such as `2026-11`, in UTC. */
  readonly month: string
  readonly endpoint: string
  readonly requests: number
  /** Input tokens on `decisions`. */
  readonly units: number
  readonly freeUnits: number
  /** EUR, exact. */
  readonly cost: string
}

/** Units set aside. Exactly one of its methods is to be called; further calls do nothing. */
export interface Reservation {
  /** Charges what was really used. */
  settle(units: number): Promise<void>
  /** Charges nothing. */
  release(): Promise<void>
}

const HOLD_MS = 24 * 3600 * 1000

/** Counts and charges successful answers. Every change is one atomic update of the payer's account. */
export class Ledger {
  readonly #store: UsageStore
  readonly #prices: Readonly<Record<Endpoint, bigint>>
  readonly #now: () => number

  /** @throws InvalidRequestError for a price that is no exact decimal */
  constructor(store: UsageStore, prices: Prices, now: () => number = Date.now) {
    this.#store = store
    this.#prices = readPrices(prices)
    this.#now = now
  }

  /**
   * Sets units aside before the work, so that requests that run together never use the same token twice.
   *
   * @throws InsufficientQuotaError when allowance and prepaid money do not cover them
   */
  async reserve(payer: Payer, endpoint: Endpoint, units: number): Promise<Reservation> {
    const id = randomUUID()
    await this.#change(payer, (account) => {
      const now = this.#now()
      for (const [old, { expires }] of account.holds) if (expires < now) account.holds.delete(old)
      const month = monthOf(now)
      const { freeUnits, cost } = this.#split(account, payer, endpoint, units, month)
      if (cost > 0n && cost > moneyLeft(account, payer)) throw new InsufficientQuotaError()
      account.holds.set(id, { month, freeUnits, cost, expires: now + HOLD_MS })
    })
    const end = (use: (account: Account, hold: Hold) => void) => this.#change(payer, (account) => {
      const hold = account.holds.get(id)
      if (hold === undefined) return
      account.holds.delete(id)
      use(account, hold)
    })
    return {
      settle: (used) => end((account, { month }) => this.#charge(account, payer, endpoint, used, month)),
      release: () => end(() => {}),
    }
  }

  /** Charges an answer of a payer without limits. */
  record(payer: Payer, endpoint: Endpoint, units: number): Promise<void> {
    return this.#change(payer, (account) => this.#charge(account, payer, endpoint, units, monthOf(this.#now())))
  }

  /** What an account has used, by month and endpoint, oldest first. */
  async usage(account: string): Promise<MonthlyUsage[]> {
    const { months } = readAccount(await this.#store.read(account))
    return [...months].flatMap(([month, rows]) =>
      [...rows].map(([endpoint, row]) => ({ month, endpoint, ...row, cost: formatAmount(row.cost) })))
  }

  #change(payer: Payer, change: (account: Account) => void): Promise<void> {
    return this.#store.update(payer.id, (document) => {
      const account = readAccount(document)
      change(account)
      return writeAccount(account)
    })
  }

  #charge(account: Account, payer: Payer, endpoint: Endpoint, units: number, month: string): void {
    const { freeUnits, cost } = this.#split(account, payer, endpoint, units, month)
    const rows = account.months.get(month) ?? new Map<string, UsageRow>()
    const row = rows.get(endpoint) ?? { requests: 0, units: 0, freeUnits: 0, cost: 0n }
    rows.set(endpoint, {
      requests: row.requests + 1, units: row.units + units, freeUnits: row.freeUnits + freeUnits, cost: row.cost + cost,
    })
    account.months.set(month, rows)
    account.spent += cost
  }

  /** The allowance first, then money. */
  #split(account: Account, payer: Payer, endpoint: Endpoint, units: number, month: string) {
    const freeUnits = Math.min(units, tokensLeft(account, payer, month))
    return { freeUnits, cost: BigInt(units - freeUnits) * this.#prices[endpoint] }
  }
}

/** Whether a payer can run out. */
export function isLimited({ freeTokens, prepaid }: Payer): boolean {
  return freeTokens !== undefined || prepaid !== undefined
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7)
}

function tokensLeft({ months, holds }: Account, { freeTokens = 0 }: Payer, month: string): number {
  const used = [...months.get(month)?.values() ?? []].reduce((sum, row) => sum + row.freeUnits, 0)
  const held = [...holds.values()].reduce((sum, hold) => sum + (hold.month === month ? hold.freeUnits : 0), 0)
  return Math.max(0, freeTokens - used - held)
}

function moneyLeft({ spent, holds }: Account, { prepaid = '0' }: Payer): bigint {
  const held = [...holds.values()].reduce((sum, { cost }) => sum + cost, 0n)
  return parseAmount(prepaid, 'prepaid') - spent - held
}
