import { promiseOf, tell, warnOf } from '../../jobs/tell.ts'
import { unlessAborted } from '../unless-aborted.ts'

/**
 * Tells the caller's own code what a long work comes to, and waits for none of its promises meanwhile. What it throws, at once or
 * later, is kept for the work to end with, since nobody else would hear of it.
 */
export class Listening<News> {
  readonly #listener: (news: News) => unknown
  readonly #onFault: () => void
  /** Promises that the listener has returned and that are not settled. */
  readonly #pending = new Set<Promise<unknown>>()
  readonly #faults: { readonly place: number; readonly error: unknown }[] = []
  #isOver = false

  /** @param onFault called when there is something to end with */
  constructor(listener: ((news: News) => unknown) | undefined, onFault: () => void) {
    this.#listener = (news) => this.#follow(listener?.(news))
    this.#onFault = onFault
  }

  /** @param place of the news among all, for `throwIfFailed` */
  tell(news: News, place = 0): void {
    tell(this.#listener, news, (error) => {
      if (this.#isOver) return warnOf(error)
      this.#faults.push({ place, error })
      this.#onFault()
    })
  }

  /** @throws what the listener has thrown of news up to this place */
  throwIfFailed(place = Number.POSITIVE_INFINITY): void {
    const at = this.#faults.findIndex((fault) => fault.place <= place)
    if (at >= 0) throw this.#faults.splice(at, 1)[0]!.error
  }

  /**
   * Waits at the end for what the listener still does.
   *
   * @throws what it has thrown, and AbortedError where the signal fires first
   */
  async settled(signal: AbortSignal): Promise<void> {
    if (this.#pending.size > 0) await unlessAborted(() => Promise.allSettled(this.#pending), signal)
    this.throwIfFailed()
  }

  /** From now on nothing can end with what the listener throws, which is a warning then, and so is what nothing has ended with. */
  end(): void {
    this.#isOver = true
    for (const { error } of this.#faults) warnOf(error)
  }

  #follow(told: unknown): unknown {
    const begun = promiseOf(told)
    if (begun === undefined) return
    this.#pending.add(begun)
    const forget = () => this.#pending.delete(begun)
    begun.then(forget, forget)
    return begun
  }
}
