/** The distance from the smallest to the largest of many values, which are too many for the arguments of `Math.max`. */
export function spreadOf(values: Uint8Array): number {
  let [least, most] = [255, 0]
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)]
  return most - least
}
