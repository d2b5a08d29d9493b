import { abortedBy } from '../../errors/aborted-by.ts'
import { OverloadedError } from '../../errors/index.ts'
import { Tally } from '../tally.ts'

/** How long a body waits at the client for others to be answered. */
const LONGEST_WAIT_MS = 10_000
const RETRY_MS = 1000

/** What of the memory one account may have, so that others come in: as much as two of the largest bodies by default. */
const SHARE_EACH = 0.75

interface Waiting {
  readonly bytes: number
  /** Whether other bodies of its account leave it no room. */
  isBeyondShare(): boolean
  admit(): void
}

/** Bytes, such as of bodies, that may be in memory at once over all requests: read, or still being answered. */
export class BodyBudget {
  #free: number
  readonly #mostEach: number
  readonly #of: string
  readonly #taken = new Tally()
  /** Those that came first go first, also where a smaller one would fit. Those that wait for their own account hold up no other. */
  readonly #waiting = new Set<Waiting>()

  /** @param of What takes them, as those are told whom it leaves no room. */
  constructor(bytes: number, of = 'bodies') {
    this.#free = bytes
    this.#of = of
    this.#mostEach = bytes * SHARE_EACH
  }

  /**
   * Opens a share for the bytes of one request.
   *
   * @param accountOf Whose it is, asked when there are bytes; undefined where all requests are one account's.
   */
  open(accountOf: () => string | undefined = () => undefined): BodyShare {
    let taken = 0
    let account: string | undefined
    const count = (bytes: number) => {
      account ??= accountOf()
      this.#free -= bytes
      taken += bytes
      if (account !== undefined) this.#taken.add(account, bytes)
    }
    const isBeyondShare = (bytes: number) => {
      account ??= accountOf()
      if (account === undefined) return false
      const all = this.#taken.of(account)
      // One body of an account passes whatever its size.
      return all > taken && all + bytes > this.#mostEach
    }
    const take = (bytes: number) => {
      const fits = bytes <= this.#free && !isBeyondShare(bytes)
      if (fits) count(bytes)
      return fits
    }
    return {
      admit: async (bytes, signal) => {
        if (this.#waiting.size === 0 && take(bytes)) return
        await this.#wait(bytes, signal, { isBeyondShare: () => isBeyondShare(bytes), count: () => count(bytes) })
      },
      take,
      grow: (bytes) => {
        // A body that waited here would keep others from the bytes that it has.
        if (!take(bytes)) throw isFull(this.#of)
      },
      release: () => {
        this.#free += taken
        if (account !== undefined) this.#taken.add(account, -taken)
        taken = 0
        this.#admitNext()
      },
    }
  }

  #wait(
    bytes: number,
    signal: AbortSignal,
    { isBeyondShare, count }: { isBeyondShare(): boolean; count(): void },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        bytes,
        isBeyondShare,
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
      const leave = () => give(abortedBy(signal))
      const timer = setTimeout(() => give(isFull(this.#of)), LONGEST_WAIT_MS)
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiting.delete(waiting)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
      this.#admitNext()
    })
  }

  #admitNext(): void {
    for (const waiting of this.#waiting) {
      if (waiting.isBeyondShare()) continue
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
  /** Takes so many where there is room for them now, before those that wait. @returns whether there is */
  take(bytes: number): boolean
  /** Takes more for a body that turns out to be longer. @throws OverloadedError */
  grow(bytes: number): void
  /** Gives back all that was taken. */
  release(): void
}

function isFull(of: string): OverloadedError {
  return new OverloadedError(`other requests fill the memory for ${of}; retry with backoff`, {
    retryAfterMs: RETRY_MS,
  })
}
