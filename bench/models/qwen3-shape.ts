/** Which of the bundles with random weights. */
export interface RandomQwen3 {
  /** 28 in the real model. */
  readonly layers: number
  readonly bits: 4 | 8
  /** Weights that share a scale. @defaultValue 128 */
  readonly block?: 'row'
}

/** Shapes of Qwen3-0.6B (its published config.json) on another vocabulary: a call reads few rows of that table. */
export function qwen3Config({ layers, bits, block }: RandomQwen3, vocabulary: number) {
  return {
    model_type: 'qwen3',
    hidden_size: 1024,
    num_hidden_layers: layers,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    head_dim: 128,
    intermediate_size: 3072,
    rms_norm_eps: 1e-6,
    rope_theta: 1_000_000,
    vocab_size: vocabulary,
    max_position_embeddings: 40_960,
    tie_word_embeddings: true,
    quantization_config: { quant_method: 'tessera', bits, block_size: block ?? 128 } as const,
  }
}

type Shape = Pick<
  ReturnType<typeof qwen3Config>,
  'hidden_size' | 'num_attention_heads' | 'num_key_value_heads' | 'head_dim' | 'intermediate_size'
>

/** [outputs, inputs] of the matrices of one decoder layer. */
export function layerMatrices(config: Shape): Record<string, readonly [number, number]> {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: headSize } = config
  const width = config.num_attention_heads * headSize
  const keyValueWidth = config.num_key_value_heads * headSize
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
