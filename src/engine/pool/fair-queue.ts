export interface FairItem {
  readonly client: string
  /** Whether it waits apart from the other items of its client, in a line that is passed over every other time; default false. */
  readonly isHalf?: boolean | undefined
}

interface Line<Item> {
  readonly client: string
  readonly isHalf: boolean
  readonly items: Item[]
  /** Of a line at half priority: whether it was passed over since it was served. */
  hasWaited: boolean
}

/** Waiting items, served round-robin over the clients they belong to and in order of arrival within one. */
export class FairQueue<Item extends FairItem> {
  // The order of the map is the order of service: a served line goes to its end.
  readonly #lines = new Map<string, Line<Item>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  has(client: string): boolean {
    return [false, true].some((isHalf) => this.#lines.has(keyOf({ client, isHalf })))
  }

  add(item: Item): void {
    const { client, isHalf = false } = item
    const line = this.#lines.get(keyOf(item))
    if (line) line.items.push(item)
    else this.#lines.set(keyOf(item), { client, isHalf, items: [item], hasWaited: false })
    this.#size++
  }

  /** @param accepts whether a client may be served now; others keep their places */
  take(accepts: (client: string) => boolean = () => true): Item | undefined {
    for (const [key, line] of this.#lines) {
      if (!accepts(line.client)) continue
      this.#lines.delete(key)
      if (line.isHalf && !line.hasWaited) {
        // It comes by once more at the end, where nobody else was there to be served.
        line.hasWaited = true
        this.#lines.set(key, line)
        continue
      }
      const item = line.items.shift()
      line.hasWaited = false
      if (line.items.length > 0) this.#lines.set(key, line)
      this.#size--
      return item
    }
    return undefined
  }

  /** How many items are served before this one, and itself, where none is at half priority; undefined where it doesn't wait. */
  placeOf(item: Item): number | undefined {
    const own = keyOf(item)
    const index = this.#lines.get(own)?.items.indexOf(item) ?? -1
    if (index < 0) return undefined
    let place = 0
    let isBefore = true
    for (const [key, { items }] of this.#lines) {
      if (key === own) isBefore = false
      // A client that comes first in the round has had one more when this item's turn comes.
      place += Math.min(items.length, isBefore || key === own ? index + 1 : index)
    }
    return place
  }

  /** Removes an item; false when it doesn't wait (any more). */
  remove(item: Item): boolean {
    const line = this.#lines.get(keyOf(item))
    const index = line?.items.indexOf(item) ?? -1
    if (line === undefined || index < 0) return false
    line.items.splice(index, 1)
    if (line.items.length === 0) this.#lines.delete(keyOf(item))
    this.#size--
    return true
  }
}

function keyOf({ client, isHalf = false }: FairItem): string {
  return `${isHalf ? 'half' : 'full'}:${client}`
}
