import { randomUUID } from 'node:crypto'
import { InsufficientQuotaError } from '../../errors/index.ts'
import {
  type Account,
  addToPeriod,
  dropOldDays,
  type Hold,
  type Periods,
  readAccount,
  writeAccount,
} from './account.ts'
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

/** What one endpoint answered. */
export interface Usage {
  /** `decisions`, `generations` or `edits`. */
  readonly endpoint: string
  readonly requests: number
  /** Input tokens on `decisions`, images elsewhere. */
  readonly units: number
  readonly freeUnits: number
  /** EUR, exact. */
  readonly cost: string
}

export interface MonthlyUsage extends Usage {
  /** Such as `2026-11`, in UTC. */
  readonly month: string
}

export interface DailyUsage extends Usage {
  /** Such as `2026-11-30`, in UTC. */
  readonly day: string
}

/** What a payer can still use. A member is absent where the payer has no such setting. */
export interface Allowance {
  /** Input tokens of decisions, until the month ends. */
  readonly freeTokens?: number
  /** EUR, exact. Negative where more was spent than the setting now says was paid in. */
  readonly prepaid?: string
}

/** Units set aside. Exactly one of its methods is to be called; further calls do nothing. */
export interface Reservation {
  /** Charges what was really used. */
  settle(units: number): Promise<void>
  /** Charges nothing. */
  release(): Promise<void>
}

const HOLD_MS = 24 * 3600 * 1000

const IMAGES_UNPAID = 'the prepaid balance of this API key does not cover the images'
const REASONS: Readonly<Record<Endpoint, string>> = {
  decisions: 'the token allowance of this API key is used up',
  generations: IMAGES_UNPAID,
  edits: IMAGES_UNPAID,
}

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
      const day = dayOf(now)
      const { freeUnits, cost } = this.#split(account, payer, endpoint, units, day)
      if (cost > 0n && cost > moneyLeft(account, payer, now)) throw new InsufficientQuotaError(REASONS[endpoint])
      account.holds.set(id, { day, freeUnits, cost, expires: now + HOLD_MS })
    })
    const end = (use: (account: Account, hold: Hold) => void) =>
      this.#change(payer, (account) => {
        const hold = account.holds.get(id)
        if (hold === undefined) return
        account.holds.delete(id)
        use(account, hold)
      })
    return {
      settle: (used) => end((account, { day }) => this.#charge(account, payer, endpoint, used, day)),
      release: () => end(() => {}),
    }
  }

  /** Charges an answer of a payer without limits. */
  record(payer: Payer, endpoint: Endpoint, units: number): Promise<void> {
    return this.#change(payer, (account) => this.#charge(account, payer, endpoint, units, dayOf(this.#now())))
  }

  /** What an account has used, by month and endpoint, oldest first. */
  async usage(account: string): Promise<MonthlyUsage[]> {
    const { months } = readAccount(await this.#store.read(account))
    return toRows(months).map(([month, usage]) => ({ month, ...usage }))
  }

  /** The same by day, for the last 92 days that anything was answered on. */
  async usageByDay(account: string): Promise<DailyUsage[]> {
    const { days } = readAccount(await this.#store.read(account))
    return toRows(days).map(([day, usage]) => ({ day, ...usage }))
  }

  /** What a payer can still use, requests that run already taken off. */
  async allowance(payer: Payer): Promise<Allowance> {
    const account = readAccount(await this.#store.read(payer.id))
    const now = this.#now()
    return {
      ...(payer.freeTokens !== undefined && { freeTokens: tokensLeft(account, payer, dayOf(now), now) }),
      ...(payer.prepaid !== undefined && { prepaid: formatAmount(moneyLeft(account, payer, now)) }),
    }
  }

  #change(payer: Payer, change: (account: Account) => void): Promise<void> {
    return this.#store.update(payer.id, (document) => {
      const account = readAccount(document)
      change(account)
      return writeAccount(account)
    })
  }

  #charge(account: Account, payer: Payer, endpoint: Endpoint, units: number, day: string): void {
    const used = { units, ...this.#split(account, payer, endpoint, units, day) }
    addToPeriod(account.months, monthOf(day), endpoint, used)
    addToPeriod(account.days, day, endpoint, used)
    dropOldDays(account)
    account.spent += used.cost
  }

  /** The allowance first, then money. Free tokens are for decisions: an image has no tokens to set against them. */
  #split(account: Account, payer: Payer, endpoint: Endpoint, units: number, day: string) {
    const freeUnits = endpoint === 'decisions' ? Math.min(units, tokensLeft(account, payer, day, this.#now())) : 0
    return { freeUnits, cost: BigInt(units - freeUnits) * this.#prices[endpoint] }
  }
}

/** Whether a payer can run out. */
export function isLimited({ freeTokens, prepaid }: Payer): boolean {
  return freeTokens !== undefined || prepaid !== undefined
}

function toRows(periods: Periods): [string, Usage][] {
  return [...periods]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([period, rows]) =>
      [...rows].map(([endpoint, row]): [string, Usage] => [period, { endpoint, ...row, cost: formatAmount(row.cost) }]),
    )
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

function monthOf(day: string): string {
  return day.slice(0, 7)
}

function tokensLeft({ months, holds }: Account, { freeTokens = 0 }: Payer, day: string, now: number): number {
  const month = monthOf(day)
  const used = [...(months.get(month)?.values() ?? [])].reduce((sum, row) => sum + row.freeUnits, 0)
  const reserved = held(holds, now).reduce((sum, hold) => sum + (monthOf(hold.day) === month ? hold.freeUnits : 0), 0)
  return Math.max(0, freeTokens - used - reserved)
}

function moneyLeft({ spent, holds }: Account, { prepaid = '0' }: Payer, now: number): bigint {
  const reserved = held(holds, now).reduce((sum, { cost }) => sum + cost, 0n)
  return parseAmount(prepaid, 'prepaid') - spent - reserved
}

/** Of a request that died with its process nothing is held for good. */
function held(holds: Account['holds'], now: number): Hold[] {
  return [...holds.values()].filter(({ expires }) => expires >= now)
}
