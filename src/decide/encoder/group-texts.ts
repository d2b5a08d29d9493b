/**
 * Texts of similar length that are read in one pass, as places in `lengths`: the shorter ones first, at most as many as `most` tokens hold if all
 * were as long as the longest of them. A longer text is alone.
 */
export function groupTexts(lengths: readonly number[], most: number): number[][] {
  const groups: number[][] = []
  let open: number[] = []
  const shortestFirst = lengths.map((_, place) => place).sort((a, b) => lengths[a]! - lengths[b]!)
  for (const place of shortestFirst) {
    if (open.length === 0 || (open.length + 1) * lengths[place]! > most) groups.push((open = []))
    open.push(place)
  }
  return groups
}
