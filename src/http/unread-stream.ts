/** A body that is written whether or not its client reads. */
export class UnreadStream {
  readonly readable: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #leaving: (() => void)[] = []
  #isEnded = false
  #isGone: boolean

  /**
   * @param signal fires when the client has gone
   * @param onCancel called when whoever reads it stops
   */
  constructor(signal: AbortSignal, onCancel: () => void) {
    const source = {
      start: (made: ReadableStreamDefaultController<Uint8Array>) => void (this.#controller = made),
      // With nothing that is read ahead it is called when the client has all that was written, and waits for more.
      pull: () => {
        this.#leave()
        if (this.#isEnded) this.#controller?.close()
      },
      cancel: () => {
        onCancel()
        this.#go()
      },
    }
    this.readable = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 })
    this.#isGone = signal.aborted
    signal.addEventListener('abort', () => this.#go(), { once: true })
  }

  /** @param leave called when the client has read it, and all that was written before, or has gone */
  write(parts: Iterable<Uint8Array>, leave?: () => void): void {
    if (leave) this.#leaving.push(leave)
    for (const part of parts) this.#controller?.enqueue(part)
    if (this.#isGone) this.#leave()
  }

  end(): void {
    this.#isEnded = true
    // What the client has not read yet is closed when it has.
    if (this.#controller?.desiredSize !== 0) return
    this.#leave()
    this.#controller.close()
  }

  #go(): void {
    this.#isGone = true
    this.#leave()
  }

  #leave(): void {
    for (const leave of this.#leaving.splice(0)) leave()
  }
}
