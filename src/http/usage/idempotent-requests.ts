import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AbortedError } from '../../errors/index.ts'
import { digest } from '../digest.ts'
import { conflict } from '../idempotency-key.ts'
import { LEASE_MS, Leases } from './leases.ts'
import type { UsageStore } from './usage-store.ts'

export interface KeyedRequest {
  readonly account: string
  /** The `Idempotency-Key` of the request. */
  readonly key: string
  /** What tells its body from others: nothing of it can be read from this. */
  readonly body: string
}

/** The right to answer and charge a request. */
export interface Claim {
  /** Name of the charge, the same for every try of the request. */
  readonly charge: string
  /**
   * Notes that the request is charged.
   *
   * @returns whether no other try can still charge it
   */
  conclude(): Promise<boolean>
}

/** What is kept of a request for a day. */
interface Entry {
  readonly body: string
  readonly charge: string
  /** Which try it is that runs. */
  readonly owner: string
  /** End of the lease of that try, in milliseconds since 1970; null when the request is charged. */
  readonly expires: number | null
  /** When the last parts of it were charged, of one that is charged in parts. */
  readonly charged?: number
}

const KEPT = { keepMs: 24 * 3600 * 1000 }
const POLL_MS = 250
const TRY_EVERY_MS = 1000

/**
 * Requests with an `Idempotency-Key`. No answer is kept: a request that comes again while another process answers it waits
 * for that, and one that comes after its answer is answered anew and not charged again.
 */
export class IdempotentRequests {
  readonly #store: UsageStore
  readonly #leases: Leases

  constructor(store: UsageStore) {
    this.#store = store
    this.#leases = new Leases(store, KEPT)
  }

  /**
   * Answers a request.
   *
   * @param work Answers and charges; without a claim, it must not charge.
   * @throws Refusal (409) where the key was used for another body; AbortedError; StoreUnavailableError
   */
  async run<Answer>(
    { account, key, body }: KeyedRequest,
    signal: AbortSignal,
    work: (claim: Claim | undefined) => Promise<Answer>,
  ): Promise<Answer> {
    const name = nameOf(account, key)
    const owner = randomUUID()
    const entry = await this.#claim(name, { body, charge: randomUUID(), owner }, signal)
    if (entry === undefined) return work(undefined)
    const { charge, isFirst } = entry
    const renew = (document: string | undefined, expires: number) => {
      const found = read(document)
      return found?.owner === owner && found.expires !== null ? write({ ...found, expires }) : document
    }
    const stop = this.#leases.keep(name, renew)
    try {
      return await work({
        charge,
        // Where the store is away another try finds the name of the charge, under which nothing is charged twice.
        conclude: () =>
          this.#change(name, owner, (own) => ({ ...own, expires: null })).then(
            (isOwn) => isOwn && isFirst,
            () => false,
          ),
      })
    } catch (error) {
      await this.#giveBack(name, owner, isFirst).catch(() => this.#giveBackLater(name, owner, isFirst))
      throw error
    } finally {
      stop()
    }
  }

  /**
   * Keeps a key for a request that is answered and charged in parts, each under a key of its own.
   *
   * @returns what frees it again, where nothing was charged; nothing for one that an earlier try has kept
   * @throws Refusal (409) where the key was used for another body; StoreUnavailableError
   */
  async keep({ account, key, body }: KeyedRequest): Promise<() => Promise<void>> {
    const name = nameOf(account, key)
    const owner = randomUUID()
    let isTaken = false
    const take = (document: string | undefined) => {
      const found = read(document)
      if (found && found.body !== body) throw conflict()
      isTaken = found === undefined
      return found ? document : write({ body, charge: owner, owner, expires: null })
    }
    await this.#store.update(name, take, KEPT).catch((error: unknown) => {
      // A store that was given up may have taken it all the same.
      if (isTaken) this.#giveBackLater(name, owner, true)
      throw error
    })
    return async () =>
      void (await this.#giveBack(name, owner, true).catch(() => this.#giveBackLater(name, owner, true)))
  }

  /** Keeps such a key for a day from now, as the keys of the parts that were charged last; one of another request stays as it is. */
  async keepOn({ account, key, body }: KeyedRequest): Promise<void> {
    const name = nameOf(account, key)
    const owner = randomUUID()
    const keep = (document: string | undefined, charged: number) => {
      const found = read(document) ?? { body, charge: owner, owner, expires: null }
      return found.body === body ? write({ ...found, charged }) : document
    }
    const change = () => this.#store.update(name, keep, KEPT)
    await change().catch(() => changeLater(change))
  }

  /** @returns undefined where the request is charged already */
  async #claim(name: string, wanted: Omit<Entry, 'expires'>, signal: AbortSignal) {
    for (;;) {
      let found: Entry | undefined
      let isClaimed = false
      const claim = (document: string | undefined, now: number) => {
        found = read(document)
        if (found && found.body !== wanted.body) throw conflict()
        isClaimed = found === undefined || (found.expires !== null && found.expires <= now)
        return isClaimed ? write({ ...wanted, ...pickCharge(found), expires: now + LEASE_MS }) : document
      }
      await this.#store.update(name, claim, KEPT).catch((error: unknown) => {
        // A store that was given up may have made the claim all the same.
        if (isClaimed) this.#giveBackLater(name, wanted.owner, found === undefined)
        throw error
      })
      if (isClaimed) return { charge: found?.charge ?? wanted.charge, isFirst: found === undefined }
      if (found?.expires === null) return undefined
      // Another process answers it. What it makes of it stays there, so this one waits until it knows who pays.
      await sleep(POLL_MS, undefined, { signal }).catch((cause: unknown) => {
        throw new AbortedError(undefined, { cause })
      })
    }
  }

  /**
   * Changes what is noted of a request, where it still is of this try.
   *
   * @returns whether it is
   */
  async #change(name: string, owner: string, to: (own: Entry) => Entry | undefined): Promise<boolean> {
    let isOwn = false
    const changeOwn = (document: string | undefined) => {
      const found = read(document)
      isOwn = found?.owner === owner
      return isOwn ? write(to(found!)) : document
    }
    await this.#store.update(name, changeOwn, KEPT)
    return isOwn
  }

  /** An earlier try may have been charged: its name stays. */
  #giveBack(name: string, owner: string, isFirst: boolean): Promise<boolean> {
    return this.#change(name, owner, (own) => (isFirst ? undefined : { ...own, expires: 0 }))
  }

  /** Before the lease ends by itself, for which the next try would wait. */
  #giveBackLater(name: string, owner: string, isFirst: boolean): void {
    changeLater(() => this.#giveBack(name, owner, isFirst))
  }
}

/** Where the store is away, and back soon. */
function changeLater(change: () => Promise<unknown>): void {
  const end = performance.now() + LEASE_MS
  const tryAgain = async () => {
    while (performance.now() < end) {
      await sleep(TRY_EVERY_MS, undefined, { ref: false })
      const isDone = await change().then(
        () => true,
        () => false,
      )
      if (isDone) return
    }
  }
  void tryAgain()
}

/** Of the document that holds a key. */
function nameOf(account: string, key: string): string {
  return `request:${digest(`${account}\n${key}`)}`
}

function pickCharge(entry: Entry | undefined): Partial<Entry> {
  return entry ? { charge: entry.charge } : {}
}

function read(document: string | undefined): Entry | undefined {
  return document === undefined ? undefined : (JSON.parse(document) as Entry)
}

function write(entry: Entry | undefined): string | undefined {
  return entry && JSON.stringify(entry)
}
