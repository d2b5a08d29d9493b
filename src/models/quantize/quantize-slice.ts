import type { QuantizationConfig } from '../configs/quantization-config.ts'
import { decodeFloats } from '../weights/decode-floats.ts'
import type { SafetensorsType } from '../weights/weight-index.ts'
import { type QuantizedRows, quantizeRows, quantizeWholeRows } from './quantize-rows.ts'
import { measureWholeRows, type RoundingError } from './rounding-error.ts'

/** Whole rows of a matrix as they lie in a checkpoint, and the storage that they are to have. */
export interface MatrixSlice {
  readonly bytes: Uint8Array
  readonly dtype: SafetensorsType
  /** Values of a row. */
  readonly width: number
  readonly bits: QuantizationConfig['bits']
  readonly blockSize: QuantizationConfig['block_size']
}

/** What a thread is asked: a slice in fewer bits, or what whole rows would do to it. */
export interface SliceTask {
  readonly kind: 'quantize' | 'measure'
  readonly slice: MatrixSlice
}

/** Undefined where a value is not finite. */
export function quantizeSlice({ bytes, dtype, width, bits, blockSize }: MatrixSlice): QuantizedRows | undefined {
  const rows = decodeFloats(bytes, dtype)
  if (!rows.every(Number.isFinite)) return undefined
  return blockSize === 'row' ? quantizeWholeRows(rows, width) : quantizeRows(rows, width, { bits, blockSize })
}

/** What whole rows of 8 bits would do to it; undefined where a value is not finite. */
export function measureSlice({ bytes, dtype, width }: MatrixSlice): RoundingError | undefined {
  const error = measureWholeRows(decodeFloats(bytes, dtype), width)
  return Number.isFinite(error.squares) ? error : undefined
}
