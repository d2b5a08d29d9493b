import type { Progress } from '../../engine/index.ts'
import { COMMENT_MS } from '../event-stream.ts'

/** Whatever stands between may give up a connection on which nothing comes for a minute. */
const MOST_HELD_MS = 30_000

/**
 * Tells progress once the prompt is encoded: what the model itself refuses is found until then, and has a status of its
 * own only while nothing is told. A model that takes longer is told of all the same, and so is a call that waits for its
 * turn.
 */
export class HeldProgress {
  readonly #comment: (text: string) => void
  #held: Progress[] | undefined = []
  #timer: NodeJS.Timeout

  /** Made when the request comes: what it waits for in the queue counts, too. */
  constructor(comment: (text: string) => void) {
    this.#comment = comment
    this.#timer = setTimeout(() => {
      if (this.#held?.length === 0) this.#wait()
      this.release()
    }, MOST_HELD_MS).unref()
  }

  add(progress: Progress): void {
    if (this.#held === undefined || !isEarly(progress)) {
      this.release()
      this.#tell(progress)
      return
    }
    this.#held.push(progress)
  }

  /** Tells what is held, from now on everything at once, and that the work goes on where there is nothing to tell. */
  release(): void {
    if (this.#held === undefined) return
    const held = this.#held
    this.drop()
    for (const progress of held) this.#tell(progress)
    this.#timer = setInterval(() => this.#wait(), COMMENT_MS).unref()
  }

  /** Forgets what is held, and says no more of itself. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#held = undefined
  }

  #tell(progress: Progress): void {
    this.#comment(`progress ${JSON.stringify(progress)}`)
  }

  #wait(): void {
    this.#comment('waiting')
  }
}

function isEarly({ stage, done, total }: Progress): boolean {
  return stage === 'loading' || (stage === 'encoding' && done < total)
}
