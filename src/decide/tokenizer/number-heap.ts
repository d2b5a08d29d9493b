/** Priority queue of numbers, smallest first (binary heap). */
export class NumberHeap {
  readonly #items: number[] = []

  push(item: number): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]!
      if (above <= item) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): number | undefined {
    const items = this.#items
    const smallest = items[0]
    const last = items.pop()
    if (last === undefined || items.length === 0) return smallest
    let at = 0
    for (let child = 1; child < items.length; child = 2 * at + 1) {
      const right = items[child + 1]
      if (right !== undefined && right < items[child]!) child++
      const below = items[child]!
      if (below >= last) break
      items[at] = below
      at = child
    }
    items[at] = last
    return smallest
  }
}
