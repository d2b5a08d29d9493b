/** How long a model that could not be opened again is left alone, at first and at most. */
const FIRST_MS = 1000
const LONGEST_MS = 60_000

interface Kept {
  isOpen: boolean
  /** Whether it is being opened again, or will be. */
  isAwaited: boolean
  /** Times that opening it again has failed since it was open. */
  failures: number
  timer?: ReturnType<typeof setTimeout>
}

/**
 * The models that a worker is to have open all the time, which it loses when it ends. They are opened again one after another, so that one which ends
 * the worker each time does not keep the others from being there; it is tried after longer and longer times, and so is one that cannot be opened.
 */
export class KeptModels {
  readonly #load: (name: string) => Promise<unknown>
  readonly #release: (name: string) => void
  readonly #names = new Map<string, Kept>()
  #last: Promise<void> = Promise.resolve()

  /** @param release has the worker close a model when its time comes */
  constructor(load: (name: string) => Promise<unknown>, release: (name: string) => void) {
    this.#load = load
    this.#release = release
  }

  /** Names of those that are not open. */
  get missing(): string[] {
    return Array.from(this.#names).flatMap(([name, { isOpen }]) => (isOpen ? [] : [name]))
  }

  /** Adds one that is open. */
  add(name: string): void {
    const kept = this.#names.get(name) ?? { isOpen: true, isAwaited: false, failures: 0 }
    this.#names.set(name, Object.assign(kept, { isOpen: true, failures: 0 }))
  }

  /** Ends that a model is to be open, whether it is or not. */
  remove(name: string): void {
    clearTimeout(this.#names.get(name)?.timer)
    this.#names.delete(name)
    this.#release(name)
  }

  /** The worker has ended: another one is to open them. */
  lose(): void {
    for (const [name, kept] of this.#names) {
      kept.isOpen = false
      if (!kept.isAwaited) this.#reload(name, kept)
    }
  }

  /** The engine is disposed: none is opened any more. */
  clear(): void {
    for (const { timer } of this.#names.values()) clearTimeout(timer)
    this.#names.clear()
  }

  #reload(name: string, kept: Kept): void {
    kept.isAwaited = true
    this.#last = this.#last.then(() => this.#open(name, kept))
  }

  async #open(name: string, kept: Kept): Promise<void> {
    // A call may have had it opened meanwhile, and the engine may be disposed.
    if (kept.isOpen || this.#names.get(name) !== kept) return void (kept.isAwaited = false)
    try {
      await this.#load(name)
      // It may have been removed while it was opened again.
      if (!this.#names.has(name)) this.#release(name)
      Object.assign(kept, { isOpen: true, isAwaited: false, failures: 0 })
    } catch {
      if (this.#names.get(name) !== kept) return
      // Whoever calls it meanwhile is told why.
      kept.timer = setTimeout(() => this.#reload(name, kept), Math.min(LONGEST_MS, FIRST_MS * 2 ** kept.failures++))
      // A timer of browsers is a number, and there is no process to keep alive.
      if (typeof kept.timer === 'object') kept.timer.unref()
    }
  }
}
