import type { UpdateOptions, UsageStore } from './usage-store.ts'

/** How long what a process holds outlives its last sign of life. */
export const LEASE_MS = 45_000
const BEAT_MS = 15_000

/** What a document becomes so that what is held in it lasts until `expires`. */
export type Renew = (document: string | undefined, expires: number) => string | undefined

/** How long a document is kept that a lease is renewed in, as when it was written; without it, for good. */
export type Kept = Pick<UpdateOptions, 'keepMs'>

/** What is held in a document. */
interface Held {
  readonly renews: Set<Renew>
  readonly kept: Kept
}

/**
 * Puts off the end of what this process holds, as long as it lives. The end is told by the clock of the store, so that
 * a process whose own clock is wrong neither loses what it holds nor keeps what is another's.
 */
export class Leases {
  readonly #store: UsageStore
  /** By document. */
  readonly #held = new Map<string, Held>()
  #timer: NodeJS.Timeout | undefined

  constructor(store: UsageStore) {
    this.#store = store
  }

  /**
   * Renews a lease from now on.
   *
   * @param kept The same for all leases of a document.
   * @returns what ends that
   */
  keep(name: string, renew: Renew, kept: Kept = {}): () => void {
    const held = this.#held.get(name) ?? { renews: new Set(), kept }
    held.renews.add(renew)
    this.#held.set(name, held)
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref()
    return () => this.#drop(name, renew)
  }

  #drop(name: string, renew: Renew): void {
    const renews = this.#held.get(name)?.renews
    renews?.delete(renew)
    if (renews?.size === 0) this.#held.delete(name)
    if (this.#held.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #beat(): void {
    // A store that is away is asked again with the next beat.
    void Promise.allSettled([...this.#held].map(([name, held]) => this.#renew(name, held)))
  }

  #renew(name: string, { renews, kept }: Held): Promise<void> {
    const renewAll = (document: string | undefined, now: number) =>
      // Those that have ended meanwhile are no longer in the set.
      [...renews].reduce((renewed, renew) => renew(renewed, now + LEASE_MS), document)
    return this.#store.update(name, renewAll, kept)
  }
}
