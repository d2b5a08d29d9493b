import type { Tensor } from '../../src/backends/backend.ts'

/** Largest difference over the largest expected magnitude; NaN anywhere gives NaN, which no bound accepts. */
export function largestRelativeError(got: Tensor | undefined, expected: Float32Array): number {
  if (got === undefined || got.data.length !== expected.length) {
    throw new Error(`expected ${expected.length} values, got ${got?.data.length}`)
  }
  const data = got.data as Float32Array
  let difference = 0
  let magnitude = 0
  for (const [i, wanted] of expected.entries()) {
    const distance = Math.abs(data[i]! - wanted)
    if (!(distance <= difference)) difference = distance
    magnitude = Math.max(magnitude, Math.abs(wanted))
  }
  return difference / magnitude
}
