import { giveUp } from '../backends/give-up.ts'

/** 32 MiB. What larger memory costs to make vanishes beside the passes that need so much. */
const MOST_KEPT = 2 ** 23

export interface LentMemory {
  readonly arrays: readonly Float32Array[]
  /** For the next request, which finds in it what is there now, or to the system. To be called once; the arrays cannot be used any more. */
  giveBack(): void
}

/**
 * Memory that requests work in, kept from one to the next: making it anew for each lets the garbage collector, which
 * counts such memory too, walk over vocabularies every other request.
 */
export class WorkingMemory {
  #kept = new Float32Array(0)

  /** Arrays of these lengths, with zeros or what was given back. Requests at the same time get memory of their own. */
  lend(lengths: readonly number[]): LentMemory {
    const total = lengths.reduce((sum, length) => sum + length, 0)
    if (total > MOST_KEPT) {
      const arrays = lengths.map((length) => new Float32Array(length))
      // The collector may leave it there for a while, beside that of the next request.
      return { arrays, giveBack: () => giveUp(arrays.map(({ buffer }) => buffer)) }
    }
    const memory = this.#kept.length >= total ? this.#kept : new Float32Array(total)
    this.#kept = new Float32Array(0)
    let start = 0
    return {
      arrays: lengths.map((length) => memory.subarray(start, (start += length))),
      giveBack: () => {
        if (memory.length > this.#kept.length) this.#kept = memory
      },
    }
  }
}
