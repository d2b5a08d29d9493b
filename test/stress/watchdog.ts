const CHECK_MS = 1000

/** Ends the process where something that was to settle has not after `limitMs`, and names it. */
export class Watchdog {
  readonly #limitMs: number
  readonly #pending = new Map<symbol, { readonly name: string; readonly since: number }>()
  readonly #timer: NodeJS.Timeout

  constructor(limitMs: number) {
    this.#limitMs = limitMs
    this.#timer = setInterval(() => this.#check(), CHECK_MS)
  }

  async watch<T>(name: string, work: Promise<T>): Promise<T> {
    const key = Symbol(name)
    this.#pending.set(key, { name, since: performance.now() })
    try {
      return await work
    } finally {
      this.#pending.delete(key)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #check(): void {
    const now = performance.now()
    const late = [...this.#pending.values()].filter(({ since }) => now - since > this.#limitMs)
    if (late.length === 0) return
    for (const { name } of late) process.stderr.write(`not settled after ${this.#limitMs / 1000} s: ${name}\n`)
    process.exit(1)
  }
}
