/**
 * Spearman's rank correlation, −1 to 1, with mean ranks for equal values. Undefined where all values of one side are equal.
 *
 * @param a values [n]
 * @param b values [n]
 */
export function rankCorrelation(a: readonly number[], b: readonly number[]): number | undefined {
  const [ranksA, ranksB] = [rank(a), rank(b)]
  // The mean of ranks 0 to n − 1, with or without equal values.
  const middle = (a.length - 1) / 2
  let [product, squaresA, squaresB] = [0, 0, 0]
  for (const [index, rankA] of ranksA.entries()) {
    const [x, y] = [rankA - middle, ranksB[index]! - middle]
    product += x * y
    squaresA += x * x
    squaresB += y * y
  }
  return squaresA > 0 && squaresB > 0 ? product / Math.sqrt(squaresA * squaresB) : undefined
}

function rank(values: readonly number[]): number[] {
  const order = values.map((_, index) => index).toSorted((a, b) => values[a]! - values[b]!)
  const ranks: number[] = []
  for (let start = 0; start < order.length;) {
    let end = start
    while (end < order.length && values[order[end]!] === values[order[start]!]) end++
    for (const index of order.slice(start, end)) ranks[index] = (start + end - 1) / 2
    start = end
  }
  return ranks
}
