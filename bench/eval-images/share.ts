/** How often something was right, and the 95 % interval of Wilson's score in which its rate lies. */
export interface Share {
  readonly share: number
  readonly interval: readonly [low: number, high: number]
  readonly of: number
}

const Z = 1.96

export function share(hits: readonly boolean[]): Share {
  const of = hits.length
  const rate = hits.filter(Boolean).length / of
  const middle = (rate + Z ** 2 / (2 * of)) / (1 + Z ** 2 / of)
  const spread = (Z / (1 + Z ** 2 / of)) * Math.sqrt((rate * (1 - rate)) / of + Z ** 2 / (4 * of ** 2))
  return { share: rate, interval: [Math.max(0, middle - spread), Math.min(1, middle + spread)], of }
}
