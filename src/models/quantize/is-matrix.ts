import { isFloatType } from '../weights/decode-floats.ts'
import type { TensorEntry } from '../weights/weight-index.ts'

/** Whether a tensor is quantised, which those of matching names are where they are matrices of floats. */
export function isMatrix(name: string, entry: TensorEntry, matrices: RegExp): boolean {
  return matrices.test(name) && entry.shape.length === 2 && isFloatType(entry.dtype)
}
