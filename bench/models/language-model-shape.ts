import type { Shapes } from './write-random-weights.ts'

/** The fields of a `config.json` that its tensors have their shapes from. */
export interface LanguageModelSize {
  readonly hidden_size: number
  readonly num_hidden_layers: number
  readonly num_attention_heads: number
  readonly num_key_value_heads: number
  readonly head_dim: number
  readonly intermediate_size: number
  readonly vocab_size: number
}

/** What a family has beside the matrices of Llama. */
export interface LanguageModelParts {
  /** Norms of the heads of queries and keys. */
  readonly headNorms?: boolean
  /** Biases of queries, keys and values. */
  readonly biases?: boolean
  /** Norms behind attention and feed-forward. */
  readonly postNorms?: boolean
}

/** Names and shapes of the tensors of a causal language model whose head is its embeddings. */
export function languageModelShapes(size: LanguageModelSize, parts: LanguageModelParts): Shapes {
  const { hidden_size: hidden, head_dim: head } = size
  const shapes: Record<string, readonly number[]> = {
    'model.norm.weight': [hidden],
    'model.embed_tokens.weight': [size.vocab_size, hidden],
  }
  const norms = ['input_layernorm', 'post_attention_layernorm']
  if (parts.postNorms) norms.push('pre_feedforward_layernorm', 'post_feedforward_layernorm')
  for (let i = 0; i < size.num_hidden_layers; i++) {
    const name = (part: string) => `model.layers.${i}.${part}`
    for (const [part, shape] of Object.entries(layerMatrices(size))) {
      shapes[name(`${part}.weight`)] = shape
      if (parts.biases && /\.[qkv]_proj$/.test(part)) shapes[name(`${part}.bias`)] = [shape[0]]
    }
    for (const part of norms) shapes[name(`${part}.weight`)] = [hidden]
    for (const part of parts.headNorms ? ['q_norm', 'k_norm'] : []) shapes[name(`self_attn.${part}.weight`)] = [head]
  }
  return shapes
}

/** [outputs, inputs] of the matrices of one decoder layer. */
export function layerMatrices(size: LanguageModelSize): Record<string, readonly [number, number]> {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: headSize } = size
  const width = size.num_attention_heads * headSize
  const keyValueWidth = size.num_key_value_heads * headSize
  return {
    'self_attn.q_proj': [width, hidden],
    'self_attn.k_proj': [keyValueWidth, hidden],
    'self_attn.v_proj': [keyValueWidth, hidden],
    'self_attn.o_proj': [hidden, width],
    'mlp.gate_proj': [inner, hidden],
    'mlp.up_proj': [inner, hidden],
    'mlp.down_proj': [hidden, inner],
  }
}
