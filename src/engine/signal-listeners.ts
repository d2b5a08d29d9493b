interface Watched {
  readonly listeners: Set<() => void>
  readonly tell: () => void
}

/** Listens to a signal once for all who wait for it: Node warns of more than ten listeners, and many calls may share one signal. */
export class SignalListeners {
  readonly #watched = new WeakMap<AbortSignal, Watched>()

  /** @returns what ends the listening */
  add(signal: AbortSignal | undefined, listener: () => void): () => void {
    if (signal === undefined) return () => {}
    const { listeners, tell } = this.#watched.get(signal) ?? this.#watch(signal)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0 || this.#watched.get(signal)?.listeners !== listeners) return
      signal.removeEventListener('abort', tell)
      this.#watched.delete(signal)
    }
  }

  #watch(signal: AbortSignal): Watched {
    const listeners = new Set<() => void>()
    const watched = { listeners, tell: () => [...listeners].forEach((listener) => listener()) }
    signal.addEventListener('abort', watched.tell, { once: true })
    this.#watched.set(signal, watched)
    return watched
  }
}
