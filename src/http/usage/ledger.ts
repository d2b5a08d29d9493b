import { randomUUID } from 'node:crypto'
import { InsufficientQuotaError, StoreUnavailableError } from '../../errors/index.ts'
import { type Account, addToPeriod, dropExpired, dropOldDays, type Hold, readAccount, writeAccount } from './account.ts'
import { dayOf, moneyLeft, monthOf, splitUnits, tokensLeft } from './balance.ts'
import { type Charge, ChargeJournal } from './charge-journal.ts'
import { KeptHolds } from './kept-holds.ts'
import { LEASE_MS, Leases } from './leases.ts'
import { formatAmount } from './money.ts'
import { type Endpoint, type Prices, readPrices } from './prices.ts'
import { type DailyUsage, type MonthlyUsage, toRows } from './usage-rows.ts'
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

/** What a payer can still use. A member is absent where the payer has no such setting. */
export interface Allowance {
  /** Input tokens of decisions, until the month ends. */
  readonly freeTokens?: number
  /** EUR, exact. Negative where more was spent than the setting now says was paid in. */
  readonly prepaid?: string
}

/** What is to be answered and charged. */
export interface Order {
  readonly endpoint: Endpoint
  /** Units that the answer will use at most; asked only where the payer can run out. */
  foresee(): Promise<number> | number
  /**
   * Name under which the charge is made once, however often it is tried, until `forget` is called. Without it the
   * ledger makes one up, and forgets it by itself.
   */
  readonly charge?: string
}

/** Units set aside. Exactly one of its methods is to be called; further calls do nothing. */
export interface Reservation {
  /**
   * Charges what was really used.
   *
   * @returns whether it is charged now; where the store is away, the journal does it later
   */
  settle(units: number): Promise<boolean>
  /** Charges nothing. */
  release(): Promise<void>
}

/** A charge of which nobody heard that it was made is tried again within a week. */
const CHARGED_KEPT_MS = 7 * 24 * 3600 * 1000

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
  readonly #kept: KeptHolds
  readonly #journal: ChargeJournal
  /** Charges, by account, that this process knows to be made. The next change of the account forgets them. */
  readonly #known = new Map<string, Set<string>>()

  /**
   * @param journal Folder for charges that must wait for the store; without it they wait in memory.
   * @throws InvalidRequestError for a price that is no exact decimal, or a journal that cannot be written
   */
  constructor(store: UsageStore, prices: Prices, journal?: string) {
    this.#store = store
    this.#prices = readPrices(prices)
    this.#kept = new KeptHolds(new Leases(store))
    this.#journal = new ChargeJournal((charge) => this.#make(charge), journal)
  }

  /** Charges that wait for the store. */
  get waiting(): number {
    return this.#journal.size
  }

  /**
   * Sets units aside before the work, so that requests that run together never use the same token twice.
   *
   * @throws InsufficientQuotaError when allowance and prepaid money do not cover them; StoreUnavailableError
   */
  async reserve(payer: Payer, order: Order): Promise<Reservation> {
    const { endpoint, charge: id = randomUUID() } = order
    // A payer without limits holds nothing. That the store is there is asked all the same: answers must be charged.
    const hold = isLimited(payer) ? await this.#hold(id, payer, endpoint, await order.foresee()) : undefined
    const day = hold ? hold.day : dayOf((await this.#store.read(nameOf(payer.id))).now)
    const stop = hold && this.#kept.add(nameOf(payer.id), id, hold)
    let ended = false
    const isFirst = () => {
      const first = !ended
      ended = true
      stop?.()
      return first
    }
    return {
      settle: async (units) => {
        if (!isFirst()) return false
        const { freeTokens } = payer
        const charge = { id, account: payer.id, endpoint, units, day, ...(freeTokens !== undefined && { freeTokens }) }
        const made = await this.#makeOrKeep(charge)
        if (made && order.charge === undefined) this.forget(payer.id, id)
        return made
      },
      release: async () => {
        // Where the store is away the hold ends by itself.
        if (isFirst() && hold) await this.#release(id, payer.id).catch(() => {})
      },
    }
  }

  /** Says that a charge will not be tried again. */
  forget(account: string, charge: string): void {
    this.#known.set(account, (this.#known.get(account) ?? new Set()).add(charge))
  }

  /** What an account has used, by month and endpoint, oldest first. */
  async usage(account: string): Promise<MonthlyUsage[]> {
    const { months } = await this.#read(account)
    return toRows(months).map(([month, usage]) => ({ month, ...usage }))
  }

  /** The same by day, for the last 92 days that anything was answered on. */
  async usageByDay(account: string): Promise<DailyUsage[]> {
    const { days } = await this.#read(account)
    return toRows(days).map(([day, usage]) => ({ day, ...usage }))
  }

  /** The day by the clock of the store, in UTC. */
  async today(): Promise<string> {
    return dayOf((await this.#store.read(nameOf(''))).now)
  }

  /** Names of all accounts that ever asked for something, in order. */
  async accounts(): Promise<string[]> {
    const names = await this.#store.names(nameOf(''))
    return names.map((name) => name.slice(nameOf('').length)).sort()
  }

  /** What a payer can still use, requests that run already taken off. */
  async allowance({ id, freeTokens, prepaid }: Payer): Promise<Allowance> {
    const { now, ...account } = await this.#read(id)
    return {
      ...(freeTokens !== undefined && { freeTokens: tokensLeft(account, freeTokens, dayOf(now), now) }),
      ...(prepaid !== undefined && { prepaid: formatAmount(moneyLeft(account, prepaid, now)) }),
    }
  }

  /** Tries once more to make the charges that wait. */
  close(): Promise<void> {
    return this.#journal.close()
  }

  async #hold(id: string, payer: Payer, endpoint: Endpoint, units: number): Promise<Hold> {
    const { freeTokens = 0, prepaid = '0' } = payer
    let hold: Hold | undefined
    await this.#change(payer.id, (account, now) => {
      const day = dayOf(now)
      // One of the same name is of an earlier try.
      account.holds.delete(id)
      // What is charged already is not charged again, so that nothing is set aside for it.
      const owed = account.charged.has(id) ? 0 : units
      const tokens = tokensLeft(account, freeTokens, day, now)
      const { freeUnits, cost } = splitUnits(endpoint, owed, tokens, this.#prices[endpoint])
      if (cost > 0n && cost > moneyLeft(account, prepaid, now)) throw new InsufficientQuotaError(REASONS[endpoint])
      hold = { day, freeUnits, cost, expires: now + LEASE_MS }
      account.holds.set(id, hold)
    })
    return hold!
  }

  #release(id: string, account: string): Promise<void> {
    return this.#change(account, ({ holds }) => void holds.delete(id))
  }

  /** @returns whether it is made now */
  async #makeOrKeep(charge: Charge): Promise<boolean> {
    try {
      await this.#make(charge)
      return true
    } catch (error) {
      if (!StoreUnavailableError.isInstance(error)) throw error
      await this.#journal.keep(charge)
      return false
    }
  }

  /** Charges, also where the hold is gone, and once for each id. */
  #make({ id, account: name, freeTokens = 0, endpoint, units, day }: Charge): Promise<void> {
    return this.#change(name, (account, now) => {
      account.holds.delete(id)
      if (account.charged.has(id)) return
      account.charged.set(id, now + CHARGED_KEPT_MS)
      const tokens = tokensLeft(account, freeTokens, day, now)
      const used = { units, ...splitUnits(endpoint, units, tokens, this.#prices[endpoint]) }
      addToPeriod(account.months, monthOf(day), endpoint, used)
      addToPeriod(account.days, day, endpoint, used)
      dropOldDays(account)
      account.spent += used.cost
    })
  }

  async #change(name: string, change: (account: Account, now: number) => void): Promise<void> {
    const known = [...(this.#known.get(name) ?? [])]
    await this.#store.update(nameOf(name), (document, now) => {
      const account = readAccount(document)
      dropExpired(account, now)
      for (const id of known) account.charged.delete(id)
      change(account, now)
      return writeAccount(account)
    })
    const left = this.#known.get(name)
    for (const id of known) left?.delete(id)
    if (left?.size === 0) this.#known.delete(name)
  }

  async #read(name: string) {
    const { document, now } = await this.#store.read(nameOf(name))
    return { ...readAccount(document), now }
  }
}

/** Whether a payer can run out. */
function isLimited({ freeTokens, prepaid }: Payer): boolean {
  return freeTokens !== undefined || prepaid !== undefined
}

/** Of the document that holds an account. */
function nameOf(account: string): string {
  return `account:${account}`
}
