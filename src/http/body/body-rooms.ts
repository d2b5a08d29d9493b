import { BodyBudget, type BodyShare } from './body-budget.ts'

/** Of the memory for all bodies, what one may take that counts as small: by default a body of 341 kB. */
const SMALL = 1 / 256
/** What small ones have for themselves, beside it. */
const FOR_SMALL = 1 / 8

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
