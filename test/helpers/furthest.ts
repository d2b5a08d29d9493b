/** The largest difference to what is wanted; a missing value gives NaN, which no bound accepts. */
export function furthest(got: ArrayLike<number> | undefined, wanted: ArrayLike<number>): number {
  return Math.max(...Array.from(wanted, (value, index) => Math.abs((got?.[index] ?? NaN) - value)))
}
