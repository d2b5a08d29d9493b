import type { Session } from '../../backends/backend.ts'
import { type KeysAndValues, weighKeysAndValues, wipe } from './keys-and-values.ts'

/** How much is kept of states that were read, and for how long. */
export interface KeptStatesOptions {
  /** Bytes of all keys and values that are there at a time, those that are in use among them. */
  readonly bytes: number
  /** Seconds after which those that were not used are gone. */
  readonly seconds: number
}

/** The session that made the keys and values, which is what frees them. */
export type Maker = Pick<Session, 'free'>

/** Whose states are kept where. */
export interface Keeping {
  readonly kept: KeptStates
  readonly tenant: string
}

/** Keys and values on loan: they stay as they are until they are given back. */
export interface Loan {
  readonly state: KeysAndValues
  /** Safe to call twice. */
  giveBack(): void
}

interface Entry {
  readonly maker: Maker
  readonly state: KeysAndValues
  readonly bytes: number
  users: number
  /** By `performance.now()`. */
  expires: number
  isGone: boolean
}

/**
 * Keys and values of windows that were read, for calls that bring the same window again. The one that was not used for longest goes first
 * where others need its bytes, and all go when their time is over. What goes is zeroed and freed at once, or where it is in use with
 * the end of its last use: until then it counts.
 */
export class KeptStates {
  readonly #options: KeptStatesOptions
  /** The one used last at the end, so that they are in the order in which their time ends. */
  readonly #entries = new Map<string, Entry>()
  /** Those of entries that are gone and still in use among them. */
  #bytes = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Makes keys useless to who would try texts that may have been kept. */
  readonly #salt = crypto.getRandomValues(new Uint8Array(32))
  readonly #makers = new WeakMap<Maker, number>()
  #lastMaker = 0

  constructor(options: KeptStatesOptions) {
    this.#options = options
  }

  /** Bytes of keys and values that are there, and how many windows will be found. */
  get size(): { readonly bytes: number; readonly windows: number } {
    return { bytes: this.#bytes, windows: this.#entries.size }
  }

  /** Bytes that one window may have at most. */
  get room(): number {
    return this.#options.bytes
  }

  /**
   * A window's name: a hash of whose it is, of the model and of its tokens, from which none of them can be told.
   *
   * @param tenant whose it is; nobody else's is found by it
   */
  async nameOf(maker: Maker, tenant: string, ids: readonly number[]): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify([this.#numberOf(maker), tenant, ids]))
    const salted = new Uint8Array(this.#salt.length + text.length)
    salted.set(this.#salt)
    salted.set(text, this.#salt.length)
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', salted))
    return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }

  /** What was kept under a name, and counts as used now. */
  borrow(name: string): Loan | undefined {
    this.#dropExpired()
    const entry = this.#entries.get(name)
    if (entry === undefined) return undefined
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    entry.expires = this.#end()
    entry.users++
    let isBack = false
    const giveBack = () => {
      if (isBack) return
      isBack = true
      entry.users--
      if (entry.isGone) this.#wipeUnused(entry)
    }
    return { state: entry.state, giveBack }
  }

  /** Makes room for what is about to be made to be kept: whether there is any, and nothing by that name is there yet. */
  makeRoomFor(name: string, bytes: number): boolean {
    return !this.#entries.has(name) && this.#makeRoom(bytes)
  }

  /** Takes over what nobody else uses any more: keeps it where there is room, or wipes it. */
  keep(name: string, maker: Maker, state: KeysAndValues): void {
    const bytes = weighKeysAndValues(state)
    if (!this.makeRoomFor(name, bytes)) return wipe(maker, state)
    this.#bytes += bytes
    this.#entries.set(name, { maker, state, bytes, users: 0, expires: this.#end(), isGone: false })
    this.#schedule()
  }

  /** Drops all that a session made, which is about to be disposed. */
  forget(maker: Maker): void {
    for (const [name, entry] of this.#entries) if (entry.maker === maker) this.#drop(name, entry)
    this.#schedule()
  }

  #numberOf(maker: Maker): number {
    const number = this.#makers.get(maker) ?? ++this.#lastMaker
    this.#makers.set(maker, number)
    return number
  }

  #end(): number {
    return performance.now() + this.#options.seconds * 1000
  }

  /** Entries in use stay: dropping them would free nothing now, and others would ask for them in vain. */
  #makeRoom(bytes: number): boolean {
    const unused = Array.from(this.#entries).filter(([, { users }]) => users === 0)
    const reachable = unused.reduce((sum, [, entry]) => sum + entry.bytes, 0)
    if (this.#bytes - reachable + bytes > this.#options.bytes) return false
    for (const [name, entry] of unused) {
      if (this.#bytes + bytes <= this.#options.bytes) break
      this.#drop(name, entry)
    }
    return true
  }

  #drop(name: string, entry: Entry): void {
    this.#entries.delete(name)
    entry.isGone = true
    this.#wipeUnused(entry)
  }

  #wipeUnused({ users, bytes, maker, state }: Entry): void {
    if (users > 0) return
    this.#bytes -= bytes
    wipe(maker, state)
  }

  #dropExpired(): void {
    const now = performance.now()
    for (const [name, entry] of this.#entries) {
      if (entry.expires > now) break
      this.#drop(name, entry)
    }
  }

  /** One timer, for the entry whose time ends first; a process may end before it. */
  #schedule(): void {
    clearTimeout(this.#timer)
    const [first] = this.#entries.values()
    if (first === undefined) return
    const tick = () => {
      this.#dropExpired()
      this.#schedule()
    }
    this.#timer = setTimeout(tick, Math.max(1, first.expires - performance.now()))
    this.#timer.unref()
  }
}
