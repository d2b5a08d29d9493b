/** Counts by name. Names that stand at 0 are forgotten, as accounts may be many. */
export class Tally {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: number): void {
    const count = this.of(name) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }
}
