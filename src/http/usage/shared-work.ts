import { AbortedError } from '../../errors/index.ts'

/** Work that several requests wait for. It is stopped when none of them waits any more. */
export class SharedWork<Answer> {
  readonly #controller = new AbortController()
  /** Ends with the work, also where nobody waited for it. */
  readonly done: Promise<Answer>
  #waiting = 0

  constructor(work: (signal: AbortSignal) => Promise<Answer>) {
    this.done = work(this.#controller.signal)
    // Whoever waits is told by `join`.
    this.done.catch(() => {})
  }

  /** Whether it was stopped, so that nobody can join it. */
  get isStopped(): boolean {
    return this.#controller.signal.aborted
  }

  /** @throws AbortedError when `signal` fires first; what the work throws */
  async join(signal: AbortSignal): Promise<Answer> {
    this.#waiting++
    let leave = () => {}
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(new AbortedError(undefined, { cause: signal.reason }))
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
    })
    try {
      return await Promise.race([this.done, left])
    } finally {
      signal.removeEventListener('abort', leave)
      if (--this.#waiting === 0) this.#controller.abort(signal.reason)
    }
  }
}
