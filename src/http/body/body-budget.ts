import { AbortedError, OverloadedError } from '../../errors/index.ts'

/** How long a body waits at the client for others to be answered. */
const LONGEST_WAIT_MS = 10_000
const RETRY_MS = 1000

interface Waiting {
  readonly bytes: number
  admit(): void
}

/** Bytes of bodies that may be in memory at once, over all requests: read, or still being answered. */
export class BodyBudget {
  #free: number
  /** Those that came first go first, also where a smaller one would fit. */
  readonly #waiting = new Set<Waiting>()

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Opens an account of one request's bytes. */
  open(): BodyShare {
    let taken = 0
    const count = (bytes: number) => {
      this.#free -= bytes
      taken += bytes
    }
    return {
      admit: async (bytes, signal) => {
        if (this.#waiting.size > 0 || bytes > this.#free) await this.#wait(bytes, signal, () => count(bytes))
        else count(bytes)
      },
      grow: (bytes) => {
        // A body that waited here would keep others from the bytes that it has.
        if (bytes > this.#free) throw isFull()
        count(bytes)
      },
      release: () => {
        this.#free += taken
        taken = 0
        this.#admitNext()
      },
    }
  }

  #wait(bytes: number, signal: AbortSignal, count: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        bytes,
        admit: () => {
          stop()
          count()
          resolve()
        },
      }
      const give = (error: Error) => {
        stop()
        reject(error)
        this.#admitNext()
      }
      const leave = () => give(new AbortedError(undefined, { cause: signal.reason }))
      const timer = setTimeout(() => give(isFull()), LONGEST_WAIT_MS)
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiting)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
    })
  }

  #admitNext(): void {
    for (const waiting of this.#waiting) {
      if (waiting.bytes > this.#free) return
      waiting.admit()
    }
  }
}

export interface BodyShare {
  /**
   * Takes what a body says to be long, and waits for it for 10 seconds at most.
   *
   * @throws OverloadedError; AbortedError
   */
  admit(bytes: number, signal: AbortSignal): Promise<void>
  /** Takes more for a body that turns out to be longer. @throws OverloadedError */
  grow(bytes: number): void
  /** Gives back all that was taken. */
  release(): void
}

function isFull(): OverloadedError {
  return new OverloadedError('other requests fill the memory for bodies; retry with backoff', {
    retryAfterMs: RETRY_MS,
  })
}
