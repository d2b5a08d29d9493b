/** Waiting items, served round-robin over the clients they belong to and in order of arrival within one. */
export class FairQueue<Item extends { readonly client: string }> {
  // The order of the map is the order of service: a served client goes to its end.
  readonly #lines = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(client: string): boolean {
    return this.#lines.has(client)
  }

  add(item: Item): void {
    const line = this.#lines.get(item.client)
    if (line) line.push(item)
    else this.#lines.set(item.client, [item])
    this.#size++
  }

  /** @param accepts whether a client may be served now; others keep their places */
  take(accepts: (client: string) => boolean = () => true): Item | undefined {
    for (const [client, line] of this.#lines) {
      if (!accepts(client)) continue
      const item = line.shift()
      this.#lines.delete(client)
      if (line.length > 0) this.#lines.set(client, line)
      this.#size--
      return item
    }
    return undefined
  }

  /** How many items are served before this one, and itself; undefined where it doesn't wait. */
  placeOf(item: Item): number | undefined {
    const index = this.#lines.get(item.client)?.indexOf(item) ?? -1
    if (index < 0) return undefined
    let place = 0
    let isBefore = true
    for (const [client, line] of this.#lines) {
      if (client === item.client) isBefore = false
      // A client that comes first in the round has had one more when this item's turn comes.
      place += Math.min(line.length, isBefore || client === item.client ? index + 1 : index)
    }
    return place
  }

  /** Removes an item; false when it doesn't wait (any more). */
  remove(item: Item): boolean {
    const line = this.#lines.get(item.client)
    const index = line?.indexOf(item) ?? -1
    if (line === undefined || index < 0) return false
    line.splice(index, 1)
    if (line.length === 0) this.#lines.delete(item.client)
    this.#size--
    return true
  }
}
