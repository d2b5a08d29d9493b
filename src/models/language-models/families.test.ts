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
const MISTRAL = { ...SHARED, architectures: ['MistralForCausalLM'], model_type: 'mistral', sliding_window: null }
const GEMMA3 = { ...SHARED, architectures: ['Gemma3ForCausalLM'], model_type: 'gemma3_text', head_dim: 16 }

describe('what a family reads', () => {
  it('Llama: a head is as wide as the hidden state has room for', () => {
    expect(parseLanguageModelConfig(LLAMA, 'config.json')).toMatchObject({ head_dim: 16, queryScale: 0.25 })
  })

  it('Llama: files of before its second version lack theta and the heads of keys', () => {
    const { rope_theta: _theta, num_key_value_heads: _heads, ...old } = LLAMA
    const { num_key_value_heads: heads, layers } = parseLanguageModelConfig(old, 'config.json')
    expect({ heads, rope: layers[0]?.rope }).toEqual({ heads: 4, rope: { theta: 1e4 } })
    const later = parseLanguageModelConfig({ ...old, rope_parameters: { rope_theta: 5e5 } }, 'config.json')
    expect(later.layers[0]?.rope?.theta).toBe(5e5)
  })

  it('SmolLM3: layers that rotate nothing, as they are listed or by rule', () => {
    const { num_hidden_layers: _layers, ...plain } = LLAMA
    const file = { ...plain, architectures: ['SmolLM3ForCausalLM'], model_type: 'smollm3' }
    const rotated = (fields: object) =>
      parseLanguageModelConfig({ ...file, ...fields }, 'config.json').layers.map(({ rope }) => rope !== undefined)
    expect(rotated({ num_hidden_layers: 5 })).toEqual([true, true, true, false, true])
    expect(rotated({ num_hidden_layers: 2, no_rope_layers: [0, 1] })).toEqual([false, true])
    expect(() => rotated({ num_hidden_layers: 2, no_rope_layers: [1, 1, 0] })).toThrow(
      'expected no_rope_layers of 2 layers (num_hidden_layers), got 3',
    )
    expect(() => rotated({ num_hidden_layers: 2, use_sliding_window: true })).toThrow('use_sliding_window')
  })

  it('Qwen2: biases', () => {
    expect(parseLanguageModelConfig(QWEN2, 'config.json')).toMatchObject({ projectionBiases: true, headNorms: false })
  })

  it('Mistral: as Llama, with a window that is as wide as its positions too', () => {
    const { layers, queryScale } = parseLanguageModelConfig(MISTRAL, 'config.json')
    expect({ layers: layers.slice(1), queryScale }).toEqual({
      layers: Array.from({ length: 5 }, () => ({ rope: { theta: 1e4 } })),
      queryScale: 0.25,
    })
    expect(parseLanguageModelConfig({ ...MISTRAL, sliding_window: 4096 }, 'config.json').layers).toEqual(layers)
    // Transformers takes a window of 4096 where there is none.
    const { sliding_window: _window, ...unsaid } = MISTRAL
    expect(parseLanguageModelConfig(unsaid, 'config.json').layers).toEqual(layers)
    const long = { ...unsaid, max_position_embeddings: 32_768 }
    expect(() => parseLanguageModelConfig(long, '/m/config.json')).toThrow(
      '/m/config.json: expected sliding_window null or 32768 at least (max_position_embeddings)',
    )
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
  [MISTRAL, 'sliding_window', 4095],
  [MISTRAL, 'layer_types', ['sliding_attention']],
  [MISTRAL, 'hidden_act', 'gelu'],
  [GEMMA3, 'final_logit_softcapping', 30],
  [GEMMA3, 'attn_logit_softcapping', 50],
  [GEMMA3, 'use_bidirectional_attention', true],
  [GEMMA3, 'layer_types', ['full_attention']],
  [GEMMA3, 'hidden_activation', 'gelu'],
  [LLAMA, 'is_causal', false],
  [QWEN2, 'is_causal', false],
  [MISTRAL, 'is_causal', false],
  [GEMMA3, 'is_causal', false],
])('refuses what is not computed, naming the field: %#', (config, field, value) => {
  const parse = () => parseLanguageModelConfig({ ...config, [field]: value }, '/m/config.json')
  expect(parse).toThrow(ModelFormatError)
  expect(parse).toThrow('/m/config.json')
  expect(parse).toThrow(field)
})

describe('what the first training had, for a scaled rotary embedding,', () => {
  const trained = { original_max_position_embeddings: 64 }
  const yarn = { rope_type: 'yarn', factor: 4 }
  const llama3 = { rope_type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 }

  it.each([LLAMA, MISTRAL, QWEN2])('may stand beside it, and wins there, as in transformers: %#', (family) => {
    for (const scaling of [yarn, llama3]) {
      for (const file of [
        { ...trained, rope_scaling: scaling },
        { ...trained, rope_parameters: { ...scaling, original_max_position_embeddings: 512 } },
      ]) {
        const { layers } = parseLanguageModelConfig({ ...family, ...file }, 'config.json')
        expect(layers[0]?.rope?.scaling).toMatchObject({ trainedPositions: 64 })
      }
    }
  })

  it('is of no consequence without one', () => {
    expect(parseLanguageModelConfig({ ...LLAMA, ...trained }, 'config.json').layers[0]?.rope).toEqual({ theta: 1e4 })
  })
})

describe('rotary embeddings of Gemma 3 that transformers reads otherwise are refused:', () => {
  const nested = { full_attention: { rope_theta: 1e6 }, sliding_attention: { rope_theta: 1e4 } }
  it.each([
    [{ rope_parameters: nested, rope_scaling: { rope_type: 'linear', factor: 8 } }, 'rope_parameters or rope_scaling'],
    [{ rope_parameters: { rope_theta: 9 } }, 'rope_parameters.full_attention'],
    [{ rope_parameters: { rope_type: 'linear', factor: 8, rope_theta: 1e4 } }, 'rope_parameters.full_attention'],
  ])('%#', (fields, named) => {
    expect(() => parseLanguageModelConfig({ ...GEMMA3, ...fields }, '/m/config.json')).toThrow(named)
  })
})

describe('what is no row of the registry is refused by its name, with what to take instead:', () => {
  it.each([
    ['Qwen3MoeForCausalLM', 'qwen3_moe', 'a mixture of experts: take a dense model'],
    ['MixtralForCausalLM', 'mixtral', 'a mixture of experts: take a dense model'],
    ['DeepseekV3ForCausalLM', 'deepseek_v3', 'a mixture of experts: take a dense model'],
    ['GptOssForCausalLM', 'gpt_oss', 'a mixture of experts: take a dense model'],
    ['Qwen3_5ForCausalLM', 'qwen3_5_text', 'a hybrid with linear attention: take a dense Qwen3'],
    ['Qwen3_5ForConditionalGeneration', 'qwen3_5', 'a hybrid with linear attention: take a dense Qwen3'],
    ['Qwen3_5MoeForCausalLM', 'qwen3_5_moe_text', 'a hybrid with linear attention: take a dense Qwen3'],
    ['Qwen3NextForCausalLM', 'qwen3_next', 'a hybrid with linear attention: take a dense Qwen3'],
    ['Gemma3nForCausalLM', 'gemma3n_text', 'take a text model of Gemma 3'],
    ['Gemma3ForConditionalGeneration', 'gemma3', 'a model that reads pictures: take a text model'],
    ['Qwen2_5_VLForConditionalGeneration', 'qwen2_5_vl', 'a model that reads pictures: take a text model'],
    ['Qwen3ForSequenceClassification', 'qwen3', 'a classifier on a language model: take one that writes'],
  ])('%s', (architecture, type, advice) => {
    const parse = () =>
      parseLanguageModelConfig({ ...SHARED, architectures: [architecture], model_type: type }, '/m/config.json')
    expect(parse).toThrow(ModelFormatError)
    expect(parse).toThrow(`got ${architecture} with model_type ${type}, `)
    expect(parse).toThrow(advice)
  })

  it('another architecture by its name alone', () => {
    const config = { ...SHARED, architectures: ['OPTForCausalLM'], model_type: 'opt' }
    expect(() => parseLanguageModelConfig(config, '/m/config.json')).toThrow(/got OPTForCausalLM with model_type opt$/)
  })
})

describe('a rotary embedding that is not computed is refused by its name:', () => {
  const families = [
    LLAMA,
    MISTRAL,
    QWEN2,
    GEMMA3,
    { ...QWEN2, architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3', head_dim: 16 },
  ]
  it.each(['dynamic', 'longrope', 'mrope', 'su', 'proportional', 'yarn_v2'])('%s', (type) => {
    for (const family of families) {
      for (const scaling of [
        { rope_scaling: { type, factor: 2 } },
        { rope_parameters: { rope_type: type, rope_theta: 1e6 } },
      ]) {
        const parse = () => parseLanguageModelConfig({ ...family, ...scaling }, '/m/config.json')
        expect(parse).toThrow(ModelFormatError)
        expect(parse).toThrow(`of type default, linear, llama3, yarn, got ${type}: take a checkpoint without it`)
      }
    }
  })

  it('one of local layers that is scaled, by the kind of layer', () => {
    const full = { rope_type: 'default', rope_theta: 1e6 }
    const rope_parameters = { full_attention: full, sliding_attention: { rope_type: 'dynamic', rope_theta: 1e4 } }
    const parse = () => parseLanguageModelConfig({ ...GEMMA3, rope_parameters }, '/m/config.json')
    expect(parse).toThrow('rope_parameters.sliding_attention of type default')
  })
})

it.each([
  [{ ...QWEN2, use_sliding_window: true, sliding_window: 4096 }, 'use_sliding_window'],
  [{ ...QWEN2, layer_types: Array.from({ length: 6 }, () => 'sliding_attention') }, 'layer_types.0'],
  [{ ...LLAMA, layer_types: ['full_attention', 'chunked_attention'] }, 'layer_types.1'],
  [{ ...GEMMA3, layer_types: ['linear_attention'] }, 'layer_types.0'],
  [{ ...GEMMA3, sliding_window: 0 }, 'sliding_window'],
])('layers with a window where they are not computed are refused by their field: %#', (config, field) => {
  expect(() => parseLanguageModelConfig(config, '/m/config.json')).toThrow(`got ${field}: `)
})

describe('what a GGUF file says it is', () => {
  it.each([
    ['qwen3', 'Qwen3ForCausalLM'],
    ['qwen2', 'Qwen2ForCausalLM'],
    ['llama', 'LlamaForCausalLM'],
    ['gemma3', 'Gemma3ForCausalLM'],
    ['smollm3', 'SmolLM3ForCausalLM'],
  ])('%s: %s', (architecture, known) => {
    expect(findGgufFamily(architecture, '/m/model.gguf').architectures).toContain(known)
  })

  it('names what is not known beside what is', () => {
    const find = () => findGgufFamily('qwen3moe', '/m/model.gguf')
    expect(find).toThrow(ModelFormatError)
    expect(find).toThrow('/m/model.gguf')
    expect(find).toThrow(/qwen3, qwen2, llama, gemma3.*qwen3moe, a mixture of experts: take a dense model/)
  })
})
