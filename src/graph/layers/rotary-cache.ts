/** Cosine and sine tables of rotary position embedding, row-major [positions, headSize / 2]. */
export interface RotaryCache {
  readonly cos: Float32Array
  readonly sin: Float32Array
}

/**
 * Angles are rounded to float32 where transformers rounds them (inverse frequency, then its product with the position),
 * so that far positions agree; the cosine of the rounded angle is taken in double.
 */
export function computeRotaryCache(positions: number, headSize: number, theta: number): RotaryCache {
  const half = headSize / 2
  const inverseFrequencies = Float32Array.from(
    { length: half },
    (_, m) => 1 / Math.fround(theta ** Math.fround((2 * m) / headSize)),
  )
  const cos = new Float32Array(positions * half)
  const sin = new Float32Array(positions * half)
  for (let position = 0; position < positions; position++) {
    for (let m = 0; m < half; m++) {
      const angle = Math.fround(position * inverseFrequencies[m]!)
      cos[position * half + m] = Math.cos(angle)
      sin[position * half + m] = Math.sin(angle)
    }
  }
  return { cos, sin }
}
