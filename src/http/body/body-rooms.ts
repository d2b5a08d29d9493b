import { totalMemory } from '../../engine/memory/total-memory.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { BodyBudget, type BodyShare } from './body-budget.ts'

/** A body is in memory as its bytes, as the value that they stand for, and as what the thread of the model is sent. */
export const COPIES = 3

/** For all bodies, where there is as much memory, and otherwise a part of that: in a container of 512 MiB two large ones would have the system end the process. */
const MOST_BYTES = 256 * 2 ** 20
const OF_MEMORY = 1 / 4

/** Of the memory for all bodies, what one may take that counts as small: by default a body of 341 kB. */
const SMALL = 1 / 256
/** What small ones have for themselves, beside it. */
const FOR_SMALL = 1 / 8

/**
 * Bytes for all bodies of a server.
 *
 * @param longest bytes of the longest body
 * @param asked what the settings of the server say, if anything
 * @throws InvalidRequestError for less than that body takes
 */
export function bytesForBodies(longest: number, asked: number | undefined, memory = totalMemory()): number {
  const largest = COPIES * longest
  const bytes = asked ?? Math.min(MOST_BYTES, Math.max(largest, Math.floor(memory * OF_MEMORY)))
  if (bytes >= largest) return bytes
  throw new InvalidRequestError('maxBufferedBytes', `must be at least ${largest}, as the largest body takes so many`)
}

/** A share, as those see it who read a body. */
export type OpenShare = Omit<BodyShare, 'take'>

/**
 * Memory for bodies, beside which small ones have some of their own: pictures that are to be changed keep theirs until that is done, which
 * may take minutes, and the smallest decision would wait for it.
 */
export class BodyRooms {
  readonly #all: BodyBudget
  readonly #small: BodyBudget
  readonly #mostSmall: number

  constructor(bytes: number) {
    this.#all = new BodyBudget(bytes)
    this.#small = new BodyBudget(bytes * FOR_SMALL)
    this.#mostSmall = bytes * SMALL
  }

  /** Opens a share for the bytes of one request. @param accountOf as of a `BodyBudget` */
  open(accountOf?: () => string | undefined): OpenShare {
    const [all, small] = [this.#all.open(accountOf), this.#small.open(accountOf)]
    let taken = 0
    const takesSmall = (bytes: number) => {
      const fits = taken + bytes <= this.#mostSmall && small.take(bytes)
      if (fits) taken += bytes
      return fits
    }
    return {
      async admit(bytes, signal) {
        if (!takesSmall(bytes)) await all.admit(bytes, signal)
      },
      grow: (bytes) => {
        if (!takesSmall(bytes)) all.grow(bytes)
      },
      release: () => {
        taken = 0
        small.release()
        all.release()
      },
    }
  }
}
