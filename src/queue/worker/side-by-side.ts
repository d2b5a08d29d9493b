/** Has calls run side by side, and those that nothing may run beside alone. All begin in the order in which they came. */
export class SideBySide {
  readonly #running = new Set<Promise<void>>()
  #lastAlone = Promise.resolve()

  run(isAlone: boolean, work: () => Promise<void>): Promise<void> {
    const before = isAlone ? Promise.all([this.#lastAlone, ...this.#running]) : this.#lastAlone
    const ended = before.then(work)
    const over = settled(ended)
    if (isAlone) this.#lastAlone = over
    this.#running.add(over)
    void over.then(() => this.#running.delete(over))
    return ended
  }
}

async function settled(work: Promise<void>): Promise<void> {
  await Promise.allSettled([work])
}
