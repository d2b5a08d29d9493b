import { unlessAborted } from '../unless-aborted.ts'

/** Work that several callers wait for. It is told to stop when the last of them has gone, with the reason that this one had. */
export class SharedWork<T, News = never> {
  readonly #outcome: Promise<T>
  readonly #stop = new AbortController()
  readonly #waiters = new Set<{ onNews(news: News): void }>()
  #last: { readonly news: News } | undefined
  #isOver = false

  /** @param work is given a signal that fires when nobody waits for it any more, and tells its news to all who wait */
  constructor(work: (signal: AbortSignal, tell: (news: News) => void) => Promise<T>) {
    const tell = (news: News) => {
      this.#last = { news }
      for (const { onNews } of this.#waiters) onNews(news)
    }
    // The work begins a microtask later, when it may refer to whatever keeps this object.
    this.#outcome = Promise.resolve()
      .then(() => work(this.#stop.signal, tell))
      .finally(() => (this.#isOver = true))
    this.#outcome.catch(() => {})
  }

  /** Whether it was told to stop and has not ended yet. It may succeed all the same. */
  get isStopping(): boolean {
    return this.#stop.signal.aborted && !this.#isOver
  }

  /**
   * @param onNews is told at once what the others were told last
   * @throws AbortedError as soon as the signal fires, and whatever the work throws
   */
  async wait(signal: AbortSignal, onNews: (news: News) => void = () => {}): Promise<T> {
    const waiter = { onNews }
    this.#waiters.add(waiter)
    try {
      if (this.#last && !this.#isOver) onNews(this.#last.news)
      return await unlessAborted(() => this.#outcome, signal)
    } finally {
      this.#waiters.delete(waiter)
      if (this.#waiters.size === 0 && !this.#isOver) this.#stop.abort(signal.reason)
    }
  }

  /** Resolves when the work is over, whatever came of it. */
  async settled(): Promise<void> {
    await this.#outcome.catch(() => {})
  }
}
