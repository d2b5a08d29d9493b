/**
 * Breaks the connections that were given its signal, as often as it is told to. That of an `AbortController` fires once, and the client of
 * Redis makes its next connection with the options of the first.
 */
export class Breaker {
  /** Node leaves listeners behind whose connection has ended. Those of others are held by their connections. */
  readonly #listeners = new Set<WeakRef<() => void>>()
  readonly signal = {
    aborted: false,
    addEventListener: (_event: string, listener: () => void) => {
      for (const each of this.#listeners) if (each.deref() === undefined) this.#listeners.delete(each)
      this.#listeners.add(new WeakRef(listener))
    },
    removeEventListener: (_event: string, listener: () => void) => {
      for (const each of this.#listeners) if (each.deref() === listener) this.#listeners.delete(each)
    },
  } as unknown as AbortSignal

  break(): void {
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const each of listeners) each.deref()?.()
  }
}
