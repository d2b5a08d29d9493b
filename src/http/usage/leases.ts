import type { UpdateOptions, UsageStore } from './usage-store.ts'

/** How long what a process holds outlives its last sign of life. */
export const LEASE_MS = 45_000
const BEAT_MS = 15_000

/** What a document becomes so that what is held in it lasts until `expires`. */
type Renew = (document: string | undefined, expires: number) => string | undefined

/**
 * Puts off the end of what this process holds, as long as it lives. The end is told by the clock of the store, so that
 * a process whose own clock is wrong neither loses what it holds nor keeps what is another's.
 */
export class Leases {
  readonly #store: UsageStore
  readonly #kept: Pick<UpdateOptions, 'keepMs'>
  /** What is held, by document. */
  readonly #held = new Map<string, Set<Renew>>()
  #timer: NodeJS.Timeout | undefined

  /** @param kept How long documents are kept that leases are renewed in, as when they were written; without it, for good. */
  constructor(store: UsageStore, kept: Pick<UpdateOptions, 'keepMs'> = {}) {
    this.#store = store
    this.#kept = kept
  }

  /**
   * Renews a lease from now on.
   *
   * @returns what ends that
   */
  keep(name: string, renew: Renew): () => void {
    this.#held.set(name, (this.#held.get(name) ?? new Set()).add(renew))
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref()
    return () => this.#drop(name, renew)
  }

  #drop(name: string, renew: Renew): void {
    const renews = this.#held.get(name)
    renews?.delete(renew)
    if (renews?.size === 0) this.#held.delete(name)
    if (this.#held.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    // A store that is away is asked again with the next beat.
    void Promise.allSettled([...this.#held].map((held) => this.#renew(...held)))
  }

  #renew(name: string, renews: ReadonlySet<Renew>): Promise<void> {
    const renewAll = (document: string | undefined, now: number) =>
      // Those that have ended meanwhile are no longer in the set.
      [...renews].reduce((renewed, renew) => renew(renewed, now + LEASE_MS), document)
    return this.#store.update(name, renewAll, this.#kept)
  }
}
