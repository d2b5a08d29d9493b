/** Cosines and sines of the rotary embedding of each token, row-major [tokens, headSize / 2]. */
export interface RotaryTable {
  readonly cos: Float32Array
  readonly sin: Float32Array
}

export interface RotaryAxes {
  /** Width of each axis in a head; half as many angles. */
  readonly widths: readonly number[]
  readonly theta: number
  /** Where the reference rounds to float32: the angle before its cosine is taken, or only the result. */
  readonly rounds: 'angles' | 'results'
}

/**
 * Rotary embedding with several position axes: the angles of the axes lie one after the other.
 *
 * @param positions row-major [tokens, axes]
 */
export function computeRotaryTable(positions: Int32Array, axes: RotaryAxes): RotaryTable {
  const frequencies = axes.widths.map((width) =>
    Float64Array.from({ length: width / 2 }, (_, m) => 1 / axes.theta ** ((2 * m) / width)),
  )
  const tokens = positions.length / axes.widths.length
  const width = frequencies.reduce((sum, { length }) => sum + length, 0)
  const cos = new Float32Array(tokens * width)
  const sin = new Float32Array(tokens * width)
  let at = 0
  let axis = 0
  for (const position of positions) {
    for (const frequency of frequencies[axis]!) {
      const angle = axes.rounds === 'angles' ? Math.fround(position * frequency) : position * frequency
      cos[at] = Math.cos(angle)
      sin[at++] = Math.sin(angle)
    }
    axis = (axis + 1) % frequencies.length
  }
  return { cos, sin }
}
