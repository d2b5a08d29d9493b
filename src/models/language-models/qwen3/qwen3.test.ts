import { expect, it } from 'vitest'
import { ModelFormatError } from '../../../errors/index.ts'
import { parseLanguageModelConfig } from '../families.ts'

/** `config.json` of Qwen3-0.6B, the fields that matter and some that don't. */
const QWEN3_0_6B = {
  architectures: ['Qwen3ForCausalLM'],
  attention_bias: false,
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 1024,
  intermediate_size: 3072,
  max_position_embeddings: 40960,
  max_window_layers: 28,
  num_attention_heads: 16,
  num_hidden_layers: 28,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: null,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
  use_sliding_window: false,
  vocab_size: 151936,
}

it('reads a published configuration', () => {
  const config = parseLanguageModelConfig(QWEN3_0_6B, 'config.json')
  expect(config).toMatchObject({ hidden_size: 1024, head_dim: 128, tie_word_embeddings: true })
  expect(config.layers[27]).toEqual({ rope: { theta: 1e6 } })
})

it('takes null for weights that are stored plainly, as other tools write it', () => {
  const config = parseLanguageModelConfig({ ...QWEN3_0_6B, quantization_config: null }, 'config.json')
  expect(config.quantization_config).toBeUndefined()
})

it('takes rope_theta from rope_parameters, where newer transformers write it', () => {
  const { rope_theta: _, ...rest } = QWEN3_0_6B
  const rope_parameters = { rope_type: 'default', rope_theta: 5e5 }
  const config = parseLanguageModelConfig({ ...rest, rope_parameters }, 'config.json')
  expect(config.layers[0]).toEqual({ rope: { theta: 5e5 } })
})

it.each([
  ['attention_bias', true],
  ['use_sliding_window', true],
  ['rope_scaling', { rope_type: 'dynamic', factor: 4 }],
  ['rope_parameters', { rope_type: 'longrope', rope_theta: 1e6 }],
  ['rope_parameters', { type: 'mrope', rope_theta: 1e6 }],
  ['rope_parameters', { rope_type: 'default', rope_theta: 1e6, mrope_section: [8, 8, 8] }],
  ['partial_rotary_factor', 0.5],
  ['layer_types', ['full_attention', 'sliding_attention']],
  ['num_attention_heads', 12],
  ['head_dim', 12],
  ['head_dim', 2 ** 31],
  ['max_position_embeddings', 1e9],
  ['vocab_size', undefined],
  ['rope_theta', undefined],
  ['quantization_config', { quant_method: 'gptq', bits: 4, group_size: 128 }],
])('refuses %s: %o, naming the field and the file', (field, value) => {
  const parse = () => parseLanguageModelConfig({ ...QWEN3_0_6B, [field]: value }, '/m/config.json')
  expect(parse).toThrow(ModelFormatError)
  expect(parse).toThrow('/m/config.json')
  expect(parse).toThrow(field)
})
