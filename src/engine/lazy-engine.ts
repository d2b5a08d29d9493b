import type { Engine } from './engine.ts'
import { SignalListeners } from './signal-listeners.ts'
import { unlessAborted } from './unless-aborted.ts'

/** An engine that is created on first use, and again if that failed. */
export class LazyEngine {
  readonly #create: () => Promise<Engine>
  readonly #signals = new SignalListeners()
  #engine: Promise<Engine> | undefined

  constructor(create: () => Promise<Engine>) {
    this.#create = create
  }

  /** @throws AbortedError as soon as the signal fires; the engine is created all the same */
  async get(signal?: AbortSignal): Promise<Engine> {
    return signal === undefined ? this.#get() : unlessAborted(() => this.#get(), signal, this.#signals)
  }

  #get(): Promise<Engine> {
    if (this.#engine) return this.#engine
    const engine = this.#create()
    this.#engine = engine
    engine.catch(() => {
      if (this.#engine === engine) this.#engine = undefined
    })
    return engine
  }

  /** Disposes the engine if there is one. The next use creates another. */
  async dispose(): Promise<void> {
    const engine = this.#engine
    this.#engine = undefined
    // An engine that was never created has nothing to free.
    const created = await engine?.catch(() => undefined)
    await created?.dispose()
  }
}
