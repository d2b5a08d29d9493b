import { type FairItem, FairQueue } from '../../engine/pool/fair-queue.ts'
import { abortedBy } from '../../errors/aborted-by.ts'

/** What jobs do. Pictures take minutes where decisions take milliseconds. */
export type Work = 'decisions' | 'pictures'

/** What waits for a turn. */
export interface Turn extends FairItem {
  readonly id: string
  readonly work: Work
}

/** The turns of one kind of work. */
interface Places {
  readonly queue: FairQueue<Waiting>
  running: number
}

interface Waiting extends Turn {
  enter(): void
}

/** Lets so many jobs and lines of batches run at a time, of decisions and of pictures each; accounts that wait take turns. */
export class JobTurns {
  readonly #most: number
  readonly #places: Readonly<Record<Work, Places>> = {
    decisions: { queue: new FairQueue(), running: 0 },
    pictures: { queue: new FairQueue(), running: 0 },
  }
  readonly #waiting = new Map<string, Waiting>()

  constructor(most: number) {
    this.#most = most
  }

  /** How many are served before this one, and itself; undefined where it does not wait. */
  placeOf(id: string): number | undefined {
    const waiting = this.#waiting.get(id)
    return waiting && this.#places[waiting.work].queue.placeOf(waiting)
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
    const places = this.#places[turn.work]
    if (places.running < this.#most) places.running++
    else await this.#wait(turn, places, signal)
    let isInside = true
    return () => {
      if (isInside) this.#leave(places)
      isInside = false
    }
  }

  #wait(turn: Turn, { queue }: Places, signal: AbortSignal): Promise<void> {
    const { id } = turn
    return new Promise((resolve, reject) => {
      const leave = () => {
        queue.remove(waiting)
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
      queue.add(waiting)
    })
  }

  /** The place goes to whoever is next. */
  #leave(places: Places): void {
    const next = places.queue.take()
    if (next) next.enter()
    else places.running--
  }
}
