import { expect, it } from 'vitest'
import { refuseForeignQuantization } from './foreign-quantization.ts'

const bits = { group_size: 64, bits: 4 }

it.each([
  ['bitsandbytes', { quantization_config: { load_in_8bit: true, llm_int8_threshold: 6 } }],
  ['bitsandbytes', { quantization_config: { quant_method: 'bitsandbytes', load_in_4bit: true } }],
  ['hqq', { quantization_config: { weight_quant_params: { nbits: 4, group_size: 64 } } }],
  ['MLX', { quantization_config: bits, quantization: bits }],
  ['MLX', { quantization: bits }],
  ['an unnamed method', { quantization_config: {} }],
])('what %s quantised is refused by that name: %o', (method, json) => {
  expect(() => refuseForeignQuantization(json, 'x/config.json')).toThrow(`weights quantised by ${method} (`)
})

it('takes what is not quantised, and what this library did', () => {
  for (const json of [{}, { quantization_config: null }, { quantization_config: { quant_method: 'tessera' } }, null]) {
    refuseForeignQuantization(json, 'x/config.json')
  }
})
