import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { cachedAttention, type GroupedHeads } from '../layers/cached-attention.ts'
import type { AttentionGraph } from '../layers/full-attention.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { linear } from '../layers/linear.ts'
import { simplifiedLayerNormalization } from '../../onnx/ops/normalization.ts'
import { gather, reshape } from '../../onnx/ops/shape.ts'
import { endBlock, gatedShrunk, narrow, shrink } from '../layers/precision.ts'
import { computeWeight, floatWeight } from '../layers/weights.ts'

export interface LanguageModelGraph extends AttentionGraph {
  readonly config: LanguageModelConfig
  readonly movesHalf: boolean
}

/** What the attention of every layer reads. */
export interface AttentionContext {
  readonly seqlensK: Value
  readonly totalSequenceLength: Value
  readonly cosCache: Value
  readonly sinCache: Value
  readonly positionIds: Value
  readonly attentionBias: Value | undefined
}

/** That and the keys and values of earlier positions in this layer, if any, [1, kvHeads, T, headSize] each. */
export interface AttentionLayer extends AttentionContext {
  readonly pastKey?: Value
  readonly pastValue?: Value
}

/** Of the positions of this pass, [1, S, kvHeads · headSize] each. */
export interface KeyValues {
  readonly key: Value
  readonly value: Value
}

/** RMSNorm of [rows, size] with the stored weight of that name. */
export function rmsNorm(model: LanguageModelGraph, x: Value, name: string, size: number): Value {
  return simplifiedLayerNormalization(model.g, x, floatWeight(model, name, [size]), model.config.rms_norm_eps)
}

/**
 * Attention of the normalised hidden state x [S, hidden] to its own keys and values and to earlier ones; the result is
 * [S, heads · headSize] in the model's precision, not yet projected back. With `rows` (int64 [R]) only these of x attend: [R, heads · headSize].
 */
export function selfAttention(
  model: LanguageModelGraph,
  x: Value,
  layer: string,
  attention: AttentionLayer & KeyValues,
  rows?: Value,
): Value {
  const { g, config } = model
  const query = projectQuery(model, rows === undefined ? x : gather(g, x, rows), layer)
  const attended = cachedAttention(model, { query, ...attention }, groupedHeads(config), rows)
  return reshape(g, attended, [-1, config.num_attention_heads * config.head_dim])
}

/** Queries of the normalised hidden state x [S, hidden], not rotated yet: [1, S, heads · headSize]. */
export function projectQuery(model: LanguageModelGraph, x: Value, layer: string): Value {
  return normalizedHeads(model, narrow(model, x), `${layer}.self_attn.q`, model.config.num_attention_heads)
}

/** Keys, not rotated yet, and values of the normalised hidden state x [S, hidden]. */
export function projectKeyValues(model: LanguageModelGraph, x: Value, layer: string): KeyValues {
  const { g, config } = model
  const rows = narrow(model, x)
  const heads = config.num_key_value_heads
  const width = heads * config.head_dim
  const value = linear(model, rows, `${layer}.self_attn.v_proj.weight`, width, config.hidden_size)
  return { key: normalizedHeads(model, rows, `${layer}.self_attn.k`, heads), value: reshape(g, value, [1, -1, width]) }
}

export function groupedHeads({
  num_attention_heads: query,
  num_key_value_heads: keyValue,
  head_dim: size,
}: LanguageModelConfig): GroupedHeads {
  return { query, keyValue, size }
}

export function projectOutput(model: LanguageModelGraph, attended: Value, layer: string): Value {
  const { hidden_size: hidden, num_attention_heads: heads, head_dim: headSize } = model.config
  const product = linear(model, shrink(model, attended), `${layer}.self_attn.o_proj.weight`, hidden, heads * headSize)
  return endBlock(model, product)
}

/** SwiGLU feed-forward of the normalised hidden state x [S, hidden]. */
export function feedForward(model: LanguageModelGraph, x: Value, layer: string): Value {
  const { hidden_size: hidden, intermediate_size: inner } = model.config
  const rows = narrow(model, x)
  const gate = linear(model, rows, `${layer}.mlp.gate_proj.weight`, inner, hidden)
  const up = linear(model, rows, `${layer}.mlp.up_proj.weight`, inner, hidden)
  return endBlock(model, linear(model, gatedShrunk(model, gate, up), `${layer}.mlp.down_proj.weight`, hidden, inner))
}

/** Projection to heads, each normalised on its own: [S, hidden] to [1, S, heads · headSize]. */
function normalizedHeads(model: LanguageModelGraph, x: Value, prefix: string, heads: number): Value {
  const { g, config } = model
  const width = heads * config.head_dim
  const projected = linear(model, x, `${prefix}_proj.weight`, width, config.hidden_size)
  const split = reshape(g, projected, [-1, config.head_dim])
  const weight = computeWeight(model, `${prefix}_norm.weight`, [config.head_dim])
  return reshape(g, simplifiedLayerNormalization(g, split, weight, config.rms_norm_eps), [1, -1, width])
}
