/** A model as far as its memory goes. */
interface Holder {
  /** Once it is open. */
  readonly task?: unknown
  readonly bytes: number
  /** What it may take, once it is admitted; 0 where that is not counted. */
  readonly admitted?: number
}

/** What closed models have left to the process: the allocator may keep what they had, for those that come. */
export class LeftMemory {
  readonly #measureHeld: () => number
  /** What the process holds of other things, as far as that is known. */
  #others: number
  /** The most that was open at a time. */
  #most = 0

  /** @param measureHeld bytes that the process has not given back to the system, or Infinity */
  constructor(measureHeld: () => number) {
    this.#measureHeld = measureHeld
    const held = measureHeld()
    this.#others = Number.isFinite(held) ? held : 0
  }

  /** Is told when a model has been opened: one that failed or stopped on the way may have taken next to nothing. */
  note(models: Iterable<Holder>): void {
    this.#most = Math.max(this.#most, sum([...models].filter(isOpen)))
  }

  /** @returns bytes that are left, less what models that are being opened may still take */
  count(models: Iterable<Holder>): number {
    const all = [...models]
    const held = this.#measureHeld()
    // The app may have given back some of its own since the start; what models have left must not be taken for that.
    this.#others = Math.min(this.#others, held)
    // What was given back is free by the system's own count.
    const left = Math.min(this.#most, held - this.#others) - sum(all.filter(isOpen))
    const opening = all.filter((model) => !isOpen(model) && model.admitted)
    return Math.max(0, left) - sum(opening)
  }
}

function isOpen({ task }: Holder): boolean {
  return task !== undefined
}

function sum(models: readonly Holder[]): number {
  return models.reduce((total, { admitted, bytes }) => total + (admitted || bytes), 0)
}
