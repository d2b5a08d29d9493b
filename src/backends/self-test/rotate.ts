export interface RotatedRows {
  /** [tokens, heads, size] */
  readonly rows: ArrayLike<number>
  readonly heads: number
  readonly size: number
  /** [tokens, size / 2] */
  readonly angles: ArrayLike<number>
  /** Whether a pair is two neighbours, or two numbers half a head apart. */
  readonly interleaved: boolean
}

/** Turns the pairs of every head by the angles of its token. */
export function rotate({ rows, heads, size, angles, interleaved }: RotatedRows): Float64Array {
  const half = size / 2
  const rotated = new Float64Array(rows.length)
  for (let start = 0; start < rows.length; start += size) {
    const token = Math.floor(start / (heads * size))
    for (let pair = 0; pair < half; pair++) {
      const angle = angles[token * half + pair]!
      const first = start + (interleaved ? 2 * pair : pair)
      const second = first + (interleaved ? 1 : half)
      rotated[first] = rows[first]! * Math.cos(angle) - rows[second]! * Math.sin(angle)
      rotated[second] = rows[first]! * Math.sin(angle) + rows[second]! * Math.cos(angle)
    }
  }
  return rotated
}
