import { type FairItem, FairQueue } from '../../engine/pool/fair-queue.ts'
import { abortedBy } from '../../errors/aborted-by.ts'

/** What waits for a turn. */
export interface Turn extends FairItem {
  readonly id: string
}

interface Waiting extends Turn {
  enter(): void
}

/** Lets so many jobs and lines of batches run at a time; accounts that wait take turns. */
export class JobTurns {
  readonly #most: number
  readonly #queue = new FairQueue<Waiting>()
  readonly #waiting = new Map<string, Waiting>()
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How many are served before this one, and itself; undefined where it does not wait. */
  placeOf(id: string): number | undefined {
    const waiting = this.#waiting.get(id)
    return waiting && this.#queue.placeOf(waiting)
  }

  /**
   * Waits for the turn of a job.
   *
   * @returns what ends it; further calls do nothing
   * @throws AbortedError
   */
  async enter(turn: Turn, signal: AbortSignal): Promise<() => void> {
    // Who asked may have gone while money was set aside, and nobody would end the turn.
    if (signal.aborted) throw abortedBy(signal)
    if (this.#running < this.#most) this.#running++
    else await this.#wait(turn, signal)
    let isInside = true
    return () => {
      if (isInside) this.#leave()
      isInside = false
    }
  }

  #wait(turn: Turn, signal: AbortSignal): Promise<void> {
    const { id } = turn
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#queue.remove(waiting)
        this.#waiting.delete(id)
        reject(abortedBy(signal))
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(id)
        resolve()
      }
      const waiting = { ...turn, enter }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.set(id, waiting)
      this.#queue.add(waiting)
    })
  }

  /** The place goes to whoever is next. */
  #leave(): void {
    const next = this.#queue.take()
    if (next) next.enter()
    else this.#running--
  }
}
