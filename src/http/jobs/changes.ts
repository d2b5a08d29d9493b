import type { EventEmitter } from 'node:events'
import { throwIfAborted } from '../../errors/aborted-by.ts'

/** Waits for the changes of a job; those that come while nobody waits count as one. */
export class Changes {
  readonly #emitter: EventEmitter
  readonly #id: string
  readonly #signal: AbortSignal
  #hasChanged = false
  #wake = () => {}
  readonly #note = () => {
    this.#hasChanged = true
    this.#wake()
  }

  constructor(emitter: EventEmitter, id: string, signal: AbortSignal) {
    this.#emitter = emitter
    this.#id = id
    this.#signal = signal
    emitter.on(id, this.#note)
    signal.addEventListener('abort', this.#note)
  }

  /**
   * @param mostMs The longest wait, where changes are not told of here.
   * @throws AbortedError
   */
  async next(mostMs?: number): Promise<void> {
    if (!this.#hasChanged && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (mostMs !== undefined) setTimeout(resolve, mostMs).unref()
      })
    }
    this.#hasChanged = false
    throwIfAborted(this.#signal)
  }

  stop(): void {
    this.#emitter.off(this.#id, this.#note)
    this.#signal.removeEventListener('abort', this.#note)
  }
}
