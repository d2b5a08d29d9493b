/** Times of several runs, in milliseconds unless a field says otherwise. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly runs: number
}

export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    min: at(0),
    max: at(sorted.length - 1),
    runs: sorted.length,
  }
}
