import type { Backend } from '../../backends/backend.ts'
import type { QuantizationConfig } from '../../models/configs/quantization-config.ts'
import type { TransformerAttention } from './full-attention.ts'

/**
 * Chooses how attention of a picture's transformer is computed. Where somebody chose whole rows of int8, as `tessera quantize --for this-machine` does
 * where they are several times as fast, activations are rounded for every product already, and attention rounds them for its own; only on
 * processors where products of integers are that fast. Everything else keeps the backend's form.
 */
export function chooseAttention(
  { attention, precision, fastInt8 }: Pick<Backend, 'attention' | 'precision' | 'fastInt8'>,
  quantization: QuantizationConfig | undefined,
): TransformerAttention {
  return fastInt8 && precision === 'float32' && quantization?.block_size === 'row' ? 'rounded' : attention
}
