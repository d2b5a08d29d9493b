import { describe, expect, it } from 'vitest'
import { ModelFormatError } from '../../errors/index.ts'
import { findGgufFamily, parseLanguageModelConfig } from './families.ts'

const SHARED = {
  hidden_size: 64,
  intermediate_size: 96,
  max_position_embeddings: 4096,
  num_attention_heads: 4,
  num_hidden_layers: 6,
  num_key_value_heads: 2,
  rms_norm_eps: 1e-5,
  rope_theta: 1e4,
  vocab_size: 96,
}
const LLAMA = { ...SHARED, architectures: ['LlamaForCausalLM'], model_type: 'llama' }
const QWEN2 = { ...SHARED, architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2' }
const GEMMA3 = { ...SHARED, architectures: ['Gemma3ForCausalLM'], model_type: 'gemma3_text', head_dim: 16 }

describe('what a family reads', () => {
  it('Llama: a head is as wide as the hidden state has room for', () => {
    expect(parseLanguageModelConfig(LLAMA, 'config.json')).toMatchObject({ head_dim: 16, queryScale: 0.25 })
  })

  it('Qwen2: biases', () => {
    expect(parseLanguageModelConfig(QWEN2, 'config.json')).toMatchObject({ projectionBiases: true, headNorms: false })
  })

  it('Gemma 3: every sixth layer sees all, scaling is of those only', () => {
    const json = { ...GEMMA3, sliding_window: 512, rope_theta: 1e6, rope_scaling: { rope_type: 'linear', factor: 8 } }
    const { layers, embeddingScale } = parseLanguageModelConfig(json, 'config.json')
    const local = { rope: { theta: 1e4 }, window: 512 }
    const full = { rope: { theta: 1e6, scaling: { type: 'linear', factor: 8 } } }
    expect(layers).toEqual([local, local, local, local, local, full])
    expect(embeddingScale).toBe(8)
  })
})

it.each([
  [LLAMA, 'attention_bias', true],
  [LLAMA, 'mlp_bias', true],
  [LLAMA, 'hidden_act', 'gelu'],
  [LLAMA, 'pretraining_tp', 2],
  [LLAMA, 'head_dim', 12],
  [LLAMA, 'num_key_value_heads', 3],
  [LLAMA, 'rope_scaling', { type: 'dynamic', factor: 2 }],
  [LLAMA, 'rope_scaling', { rope_type: 'llama3', factor: 8 }],
  [LLAMA, 'rope_scaling', { type: 'linear', factor: 2, mscale: 1 }],
  [QWEN2, 'use_sliding_window', true],
  [QWEN2, 'layer_types', ['sliding_attention']],
  [QWEN2, 'rope_scaling', { type: 'mrope', mrope_section: [2, 3, 3] }],
  [GEMMA3, 'final_logit_softcapping', 30],
  [GEMMA3, 'attn_logit_softcapping', 50],
  [GEMMA3, 'use_bidirectional_attention', true],
  [GEMMA3, 'layer_types', ['full_attention']],
  [GEMMA3, 'hidden_activation', 'gelu'],
])('refuses what is not computed, naming the field: %#', (config, field, value) => {
  const parse = () => parseLanguageModelConfig({ ...config, [field]: value }, '/m/config.json')
  expect(parse).toThrow(ModelFormatError)
  expect(parse).toThrow('/m/config.json')
  expect(parse).toThrow(field)
})

describe('what a GGUF file says it is', () => {
  it.each([
    ['qwen3', 'Qwen3ForCausalLM'],
    ['qwen2', 'Qwen2ForCausalLM'],
    ['llama', 'LlamaForCausalLM'],
    ['gemma3', 'Gemma3ForCausalLM'],
  ])('%s: %s', (architecture, known) => {
    expect(findGgufFamily(architecture, '/m/model.gguf').architectures).toContain(known)
  })

  it('names what is not known beside what is', () => {
    const find = () => findGgufFamily('qwen3moe', '/m/model.gguf')
    expect(find).toThrow(ModelFormatError)
    expect(find).toThrow('/m/model.gguf')
    expect(find).toThrow(/qwen3, qwen2, llama, gemma3.*qwen3moe/)
  })
})
