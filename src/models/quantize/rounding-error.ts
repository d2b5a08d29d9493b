/** What rounding a matrix does to it, as far as it was seen. */
export interface RoundingError {
  /** Sum of the squares of all differences. */
  readonly errors: number
  /** Sum of the squares of all weights. */
  readonly squares: number
}

export const NO_ERROR: RoundingError = { errors: 0, squares: 0 }

/**
 * What whole rows of 8 bits do to rows of `width` values each. The step of a row is its largest magnitude divided by 127, so a few outliers
 * make the error of all others large: the relative error of a row is about its largest magnitude by its root of the mean square, divided by 440.
 */
export function measureWholeRows(rows: Float32Array, width: number): RoundingError {
  let [errors, squares] = [0, 0]
  for (let start = 0; start < rows.length; start += width) {
    const row = rows.subarray(start, start + width)
    let largest = 0
    for (const value of row) largest = Math.max(largest, Math.abs(value))
    const scale = largest / 127
    const inverse = scale === 0 ? 0 : 1 / scale
    for (const value of row) {
      const error = value - Math.floor(value * inverse + 0.5) * scale
      errors += error * error
      squares += value * value
    }
  }
  return { errors, squares }
}

export function addErrors(a: RoundingError, b: RoundingError): RoundingError {
  return { errors: a.errors + b.errors, squares: a.squares + b.squares }
}

/** The root of the mean square of the differences, as a share of that of the weights. */
export function relativeError({ errors, squares }: RoundingError): number {
  return squares === 0 ? 0 : Math.sqrt(errors / squares)
}
