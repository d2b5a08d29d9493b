/** The models that a worker is to have open all the time, which it loses when it ends. */
export class KeptModels {
  readonly #load: (name: string) => Promise<unknown>
  /** By name, whether it is open. */
  readonly #names = new Map<string, boolean>()

  constructor(load: (name: string) => Promise<unknown>) {
    this.#load = load
  }

  /** Names of those that are not open. */
  get missing(): string[] {
    return Array.from(this.#names).flatMap(([name, isOpen]) => (isOpen ? [] : [name]))
  }

  /** Adds one that is open. */
  add(name: string): void {
    this.#names.set(name, true)
  }

  /**
   * The worker has ended: another one is to open them.
   *
   * @param wasLoading Whether opening one may be what ended it, which would go on for ever; then they stay missing.
   */
  lose(wasLoading: boolean): void {
    for (const name of this.#names.keys()) {
      this.#names.set(name, false)
      if (!wasLoading) void this.#reload(name)
    }
  }

  async #reload(name: string): Promise<void> {
    try {
      await this.#load(name)
      this.#names.set(name, true)
    } catch {
      // It stays among the missing, and whoever calls it is told why.
    }
  }
}
