import { expect, it } from 'vitest'
import type { AttentionForm, Precision } from '../../backends/backend.ts'
import type { QuantizationConfig } from '../../models/configs/quantization-config.ts'
import { chooseAttention } from './choose-attention.ts'

const PROCESSOR = { attention: 'fused' as AttentionForm, precision: 'float32' as Precision, fastInt8: true }
const ROWS: QuantizationConfig = { quant_method: 'tessera', bits: 8, block_size: 'row' }
const BLOCKS: QuantizationConfig = { quant_method: 'tessera', bits: 8, block_size: 128 }

it.each([
  ['whole rows where products of integers are fast', PROCESSOR, ROWS, 'rounded'],
  ['whole rows but for rough matrices', PROCESSOR, { ...ROWS, tensors: { rough: BLOCKS } }, 'rounded'],
  ['whole rows elsewhere', { ...PROCESSOR, fastInt8: false }, ROWS, 'fused'],
  [
    'whole rows on a device without the fused form',
    { ...PROCESSOR, attention: 'explicit', fastInt8: false },
    ROWS,
    'explicit',
  ],
  ['whole rows in half precision', { ...PROCESSOR, precision: 'float16' }, ROWS, 'fused'],
  ['blocks', PROCESSOR, BLOCKS, 'fused'],
  ['blocks with a matrix in rows', PROCESSOR, { ...BLOCKS, tensors: { one: ROWS } }, 'fused'],
  ['floats', PROCESSOR, undefined, 'fused'],
] as const)('%s', (_, backend, quantization, expected) => {
  expect(chooseAttention(backend, quantization)).toBe(expected)
})
