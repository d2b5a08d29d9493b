import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add } from '../../onnx/ops/elementwise.ts'
import { simplifiedLayerNormalization } from '../../onnx/ops/normalization.ts'
import { gather, reshape } from '../../onnx/ops/shape.ts'
import { cachedAttention, type GroupedHeads } from '../layers/cached-attention.ts'
import { linear } from '../layers/linear.ts'
import { endBlock, gatedShrunk, narrow, shrink } from '../layers/precision.ts'
import { computeWeight, floatWeight } from '../layers/weights.ts'
import type { AttentionInputs } from './attention-inputs.ts'
import type { LanguageModelGraph } from './language-model-graph.ts'

/** Keys and values of the positions of this pass, [1, S, kvHeads · headSize] each. */
export interface KeyValues {
  readonly key: Value
  readonly value: Value
}

/** The inputs of a layer's attention, and keys and values of earlier positions, if any, [1, kvHeads, T, headSize] each. */
export interface LayerAttention extends AttentionInputs, KeyValues {
  readonly pastKey?: Value
  readonly pastValue?: Value
}

/** RMSNorm of [rows, hidden] with the stored weight of that name. */
export function rmsNorm(model: LanguageModelGraph, x: Value, name: string): Value {
  const { g, config } = model
  const weight = offset(model, floatWeight(model, name, [config.hidden_size]), g.scalar(1, 'float32'))
  const normed = simplifiedLayerNormalization(g, x, weight, config.rms_norm_eps)
  model.onNorm?.(name, normed)
  return normed
}

/** The norm in front of the layer's projections on the hidden state x [S, hidden]. */
export function normalizeInput(model: LanguageModelGraph, x: Value, layer: string): Value {
  return rmsNorm(model, x, `${layer}.input_layernorm.weight`)
}

/**
 * The layer behind its keys and values: attention and feed-forward, each added to the hidden state x [S, hidden].
 * With `rows` (int64 [R]) only these of x go on: [R, hidden].
 *
 * @param normed x by `normalizeInput`
 */
export function languageModelLayer(
  model: LanguageModelGraph,
  { x, normed, layer }: { readonly x: Value; readonly normed: Value; readonly layer: string },
  attention: LayerAttention,
  rows?: Value,
): Value {
  const { g, config } = model
  const picked = (all: Value) => (rows === undefined ? all : gather(g, all, rows))
  const query = projectQuery(model, picked(normed), layer)
  const heads = { ...groupedHeads(config), scale: config.queryScale }
  const attended = cachedAttention(model, { query, ...attention }, heads, rows)
  const flat = reshape(g, attended, [-1, config.num_attention_heads * config.head_dim])
  const behind = projectOutput(model, flat, layer)
  if (!config.postNorms) {
    const y = add(g, picked(x), behind)
    return add(g, y, feedForward(model, rmsNorm(model, y, `${layer}.post_attention_layernorm.weight`), layer))
  }
  const y = add(g, picked(x), rmsNorm(model, behind, `${layer}.post_attention_layernorm.weight`))
  const fed = feedForward(model, rmsNorm(model, y, `${layer}.pre_feedforward_layernorm.weight`), layer)
  return add(g, y, rmsNorm(model, fed, `${layer}.post_feedforward_layernorm.weight`))
}

/** Queries of the normalised hidden state [S, hidden], not rotated yet: [1, S, heads · headSize]. */
export function projectQuery(model: LanguageModelGraph, normed: Value, layer: string): Value {
  const { num_attention_heads: heads } = model.config
  return normalizeHeads(
    model,
    project(model, narrow(model, normed), `${layer}.self_attn.q`, heads),
    `${layer}.self_attn.q`,
  )
}

/** Keys, not rotated yet, and values of the normalised hidden state [S, hidden]. */
export function projectKeyValues(model: LanguageModelGraph, normed: Value, layer: string): KeyValues {
  const { g, config } = model
  const rows = narrow(model, normed)
  const heads = config.num_key_value_heads
  const part = (name: 'k' | 'v') => project(model, rows, `${layer}.self_attn.${name}`, heads)
  return {
    key: normalizeHeads(model, part('k'), `${layer}.self_attn.k`),
    value: reshape(g, part('v'), [1, -1, heads * config.head_dim]),
  }
}

export function groupedHeads(config: LanguageModelConfig): GroupedHeads {
  const { num_attention_heads: query, num_key_value_heads: keyValue, head_dim: size } = config
  return { query, keyValue, size }
}

export function projectOutput(model: LanguageModelGraph, attended: Value, layer: string): Value {
  const { hidden_size: hidden, num_attention_heads: heads, head_dim: headSize } = model.config
  const product = linear(model, shrink(model, attended), `${layer}.self_attn.o_proj.weight`, hidden, heads * headSize)
  return endBlock(model, product)
}

/** Gated feed-forward of the normalised hidden state [S, hidden]. */
export function feedForward(model: LanguageModelGraph, normed: Value, layer: string): Value {
  const { hidden_size: hidden, intermediate_size: inner, activation } = model.config
  const rows = narrow(model, normed)
  const gate = linear(model, rows, `${layer}.mlp.gate_proj.weight`, inner, hidden)
  const up = linear(model, rows, `${layer}.mlp.up_proj.weight`, inner, hidden)
  const gated = gatedShrunk(model, gate, up, activation)
  return endBlock(model, linear(model, gated, `${layer}.mlp.down_proj.weight`, hidden, inner))
}

/** [S, hidden] to [S, heads · headSize], in the model's precision as x is. */
function project(model: LanguageModelGraph, x: Value, prefix: string, heads: number): Value {
  const { g, config } = model
  const width = heads * config.head_dim
  const product = linear(model, x, `${prefix}_proj.weight`, width, config.hidden_size)
  return config.projectionBiases ? add(g, product, computeWeight(model, `${prefix}_proj.bias`, [width])) : product
}

/** RMSNorm of each head on its own, in a model that has it: [S, heads · headSize] to [1, S, heads · headSize]. */
function normalizeHeads(model: LanguageModelGraph, x: Value, prefix: string): Value {
  const { g, config } = model
  const heads = prefix.endsWith('q') ? config.num_attention_heads : config.num_key_value_heads
  const dims = [1, -1, heads * config.head_dim]
  if (!config.headNorms) return reshape(g, x, dims)
  const stored = computeWeight(model, `${prefix}_norm.weight`, [config.head_dim])
  const weight = offset(model, stored, narrow(model, g.scalar(1, 'float32')))
  const split = reshape(g, x, [-1, config.head_dim])
  return reshape(g, simplifiedLayerNormalization(g, split, weight, config.rms_norm_eps), dims)
}

/** The factors of a norm, where the stored weight is their excess over 1. */
function offset({ g, config }: LanguageModelGraph, weight: Value, one: Value): Value {
  return config.normsFromOne ? add(g, weight, one) : weight
}
