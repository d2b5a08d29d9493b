import type { Progress } from '../../engine/index.ts'

/** Whatever stands between may give up a connection on which nothing comes for a minute. */
const MOST_HELD_MS = 30_000

/**
 * Tells progress once the prompt is encoded: what the model itself refuses is found until then, and has a status of its
 * own only while nothing is told. A model that takes longer is told of all the same.
 */
export class HeldProgress {
  readonly #tell: (progress: Progress) => void
  #held: Progress[] | undefined = []
  readonly #timer: NodeJS.Timeout

  /** Made when the request comes: what it waits for in the queue counts, too. */
  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell
    this.#timer = setTimeout(() => this.release(), MOST_HELD_MS).unref()
  }

  add(progress: Progress): void {
    if (this.#held === undefined || !isEarly(progress)) {
      this.release()
      this.#tell(progress)
      return
    }
    this.#held.push(progress)
  }

  /** Tells what is held, and from now on everything at once. */
  release(): void {
    const held = this.#held ?? []
    this.drop()
    for (const progress of held) this.#tell(progress)
  }

  /** Forgets what is held. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#held = undefined
  }
}

function isEarly({ stage, done, total }: Progress): boolean {
  return stage === 'loading' || (stage === 'encoding' && done < total)
}
