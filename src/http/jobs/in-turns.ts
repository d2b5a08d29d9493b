/** Runs what has the same name one after the other, in the order in which it came. */
export class InTurns {
  /** Ends of what came last, by name; names that nothing waits for are forgotten. */
  readonly #ends = new Map<string, Promise<void>>()

  run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#ends.get(name) ?? Promise.resolve()).then(work)
    const forget = () => {
      if (this.#ends.get(name) === end) this.#ends.delete(name)
    }
    const end = result.then(forget, forget)
    this.#ends.set(name, end)
    return result
  }
}
