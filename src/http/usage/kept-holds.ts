import { type Hold, readAccount, writeAccount } from './account.ts'
import type { Leases } from './leases.ts'

interface Kept {
  /** By the name of their charge. */
  readonly holds: Map<string, Hold>
  readonly stop: () => void
}

/**
 * Units that requests of this process have set aside, kept for as long as these run. All of an account are renewed at once: its document is
 * read and written as a whole, and those of a thousand requests, each for itself, would keep everybody waiting for seconds.
 */
export class KeptHolds {
  readonly #leases: Leases
  /** By document. */
  readonly #kept = new Map<string, Kept>()

  constructor(leases: Leases) {
    this.#leases = leases
  }

  /** @returns what ends that */
  add(document: string, id: string, hold: Hold): () => void {
    const kept = this.#kept.get(document) ?? this.#begin(document)
    kept.holds.set(id, hold)
    return () => {
      // It may be that of a later try by now.
      if (kept.holds.get(id) === hold) kept.holds.delete(id)
      if (kept.holds.size > 0 || this.#kept.get(document) !== kept) return
      kept.stop()
      this.#kept.delete(document)
    }
  }

  #begin(document: string): Kept {
    const holds = new Map<string, Hold>()
    const kept = { holds, stop: this.#leases.keep(document, (text, expires) => renewAll(text, holds, expires)) }
    this.#kept.set(document, kept)
    return kept
  }
}

/** Puts holds back as well, where a clock that jumped or a restored backup has ended them. */
function renewAll(document: string | undefined, holds: ReadonlyMap<string, Hold>, expires: number): string | undefined {
  // Those that have ended while the store was asked are no longer among them.
  if (holds.size === 0) return document
  const account = readAccount(document)
  for (const [id, hold] of holds) account.holds.set(id, { ...hold, expires })
  return writeAccount(account)
}
