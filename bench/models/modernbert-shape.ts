import type { Shapes } from './write-random-weights.ts'

/** Sizes of a ModernBERT encoder, as its published `config.json` has them. */
export interface ModernBertSize {
  readonly layers: number
  readonly hidden: number
  readonly heads: number
  readonly inner: number
  readonly vocabulary: number
  readonly positions: number
}

/** `config.json` of a ModernBERT encoder. */
export function modernBertConfig(size: ModernBertSize): object {
  return {
    model_type: 'modernbert',
    hidden_size: size.hidden,
    num_hidden_layers: size.layers,
    num_attention_heads: size.heads,
    intermediate_size: size.inner,
    vocab_size: size.vocabulary,
    max_position_embeddings: size.positions,
    local_attention: 128,
  }
}

/** Its tensors, whose names begin with `prefix`. */
export function modernBertShapes({ layers, hidden, inner, vocabulary }: ModernBertSize, prefix: string): Shapes {
  const shapes: Record<string, readonly number[]> = {
    [`${prefix}embeddings.tok_embeddings.weight`]: [vocabulary, hidden],
    [`${prefix}embeddings.norm.weight`]: [hidden],
    [`${prefix}final_norm.weight`]: [hidden],
  }
  for (let i = 0; i < layers; i++) {
    const layer = `${prefix}layers.${i}`
    if (i > 0) shapes[`${layer}.attn_norm.weight`] = [hidden]
    shapes[`${layer}.attn.Wqkv.weight`] = [3 * hidden, hidden]
    shapes[`${layer}.attn.Wo.weight`] = [hidden, hidden]
    shapes[`${layer}.mlp_norm.weight`] = [hidden]
    shapes[`${layer}.mlp.Wi.weight`] = [2 * inner, hidden]
    shapes[`${layer}.mlp.Wo.weight`] = [hidden, inner]
  }
  return shapes
}
