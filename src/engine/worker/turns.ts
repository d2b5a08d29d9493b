import { abortedBy, throwIfAborted } from '../../errors/aborted-by.ts'
import { nextTask } from './next-task.ts'

/** A job's place at the one computing device. */
export interface Place {
  /**
   * Ends this job's turn, if it has one, and waits for the next behind all who already wait.
   *
   * @throws AbortedError as soon as the job is aborted
   */
  turn(): Promise<void>
  /** Ends the job's turn for good. */
  leave(): void
}

/** Lets jobs compute one at a time, in order of arrival, a chunk per turn. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #taken = false

  join(signal: AbortSignal): Place {
    let holds = false
    const release = () => {
      if (!holds) return
      holds = false
      this.#taken = false
      this.#grantNext()
    }
    return {
      turn: async () => {
        throwIfAborted(signal)
        release()
        await this.#wait(signal)
        holds = true
        // Messages, an abort among them, are only read when the event loop goes round.
        await nextTask()
        throwIfAborted(signal)
      },
      leave: release,
    }
  }

  /** Does some work that is no job's as a turn of its own. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    const place = this.join(new AbortController().signal)
    try {
      await place.turn()
      return await work()
    } finally {
      place.leave()
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const grant = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(grant), 1)
        reject(abortedBy(signal))
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.push(grant)
      this.#grantNext()
    })
  }

  #grantNext(): void {
    if (this.#taken) return
    const grant = this.#waiting.shift()
    if (grant === undefined) return
    this.#taken = true
    grant()
  }
}
