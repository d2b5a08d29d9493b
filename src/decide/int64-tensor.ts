import type { Tensor } from '../backends/backend.ts'

/** Whole numbers that are not negative, below 2³¹. */
export function int64(values: readonly number[], dims: readonly number[]): Tensor {
  // Low halves of numbers that are not negative, on processors that are all little-endian: no BigInt is made for any of them.
  const halves = new Int32Array(2 * values.length)
  for (let index = 0; index < values.length; index++) halves[2 * index] = values[index]!
  return { type: 'int64', dims, data: new BigInt64Array(halves.buffer) }
}
