import { unlessAborted } from './unless-aborted.ts'

/** Work that several callers wait for. It is told to stop when the last of them has gone, with the reason that this one had. */
export class SharedWork<T> {
  readonly #outcome: Promise<T>
  readonly #stop = new AbortController()
  #waiters = 0
  #isOver = false

  /** @param work is given a signal that fires when nobody waits for it any more */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    // The work begins a microtask later, when it may refer to whatever keeps this object.
    this.#outcome = Promise.resolve()
      .then(() => work(this.#stop.signal))
      .finally(() => (this.#isOver = true))
    this.#outcome.catch(() => {})
  }

  /** Whether it was told to stop and has not ended yet. It may succeed all the same. */
  get isStopping(): boolean {
    return this.#stop.signal.aborted && !this.#isOver
  }

  /** @throws AbortedError as soon as the signal fires, and whatever the work throws */
  async wait(signal: AbortSignal): Promise<T> {
    this.#waiters++
    try {
      return await unlessAborted(() => this.#outcome, signal)
    } finally {
      this.#waiters--
      if (this.#waiters === 0 && !this.#isOver) this.#stop.abort(signal.reason)
    }
  }

  /** Resolves when the work is over, whatever came of it. */
  async settled(): Promise<void> {
    await this.#outcome.catch(() => {})
  }
}
