import type { ModernBertConfig } from '../../models/configs/modernbert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, gelu, mul } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { rotaryEmbeddingAt } from '../../onnx/ops/rotary.ts'
import { reshape, split } from '../../onnx/ops/shape.ts'
import { type EncoderHead, type EncoderModel } from '../encoder-heads/encoder-head.ts'
import {
  declareLocalRows,
  declareTexts,
  localAttention,
  type LocalRows,
  textAttention,
} from '../layers/block-attention.ts'
import type { Heads } from '../layers/full-attention.ts'
import { affine, gatherRows, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { computeRotaryCache } from '../layers/rotary-cache.ts'
import { type ComputeOptions, startGraph } from '../layers/start-graph.ts'
import { floatWeight } from '../layers/weights.ts'

export interface ModernBertOptions extends ComputeOptions {
  /** Positions the rotary tables cover; no text may be longer. */
  readonly maxPositions: number
  /** The prefix of the names of the encoder's tensors. */
  readonly prefix: string
}

interface ModernBertModel extends EncoderModel {
  readonly config: ModernBertConfig
  readonly prefix: string
}

/** The values that the attention of every layer reads. */
interface AttentionContext {
  readonly positions: Value
  readonly local: LocalRows
  readonly tables: Readonly<
    Record<ModernBertConfig['layer_types'][number], { readonly cos: Value; readonly sin: Value }>
  >
}

/**
 * A ModernBERT encoder on texts that stand one behind the other without padding, with a head on their last hidden states.
 *
 * Inputs: `input_ids`, `position_ids` int64 [1, S]; those of {@link declareTexts} and {@link declareLocalRows}; and the head's.
 * Outputs are the head's.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildModernBertEncoder(
  config: ModernBertConfig,
  weights: WeightIndex,
  head: EncoderHead,
  options: ModernBertOptions,
): BuiltGraph {
  const started = startGraph('modernbert_encoder', config, weights, options)
  const { g } = started
  const { maxPositions, prefix } = options
  const { hidden_size: hidden, vocab_size: vocabulary } = config
  const model: ModernBertModel = { ...started, prefix, texts: declareTexts(g) }
  const ids = reshape(g, g.input('input_ids', 'int64', [1, 'sequence']), [-1])
  // First, as this compares the width with what is stored before tables are made by it.
  const words = gatherRows(model, `${prefix}embeddings.tok_embeddings.weight`, ids, vocabulary, hidden)
  const context = declareAttention(model, maxPositions)
  let x = norm(model, words, 'embeddings.norm')
  for (let i = 0; i < config.num_hidden_layers; i++) x = encoderLayer(model, x, i, context)
  head(model, norm(model, x, 'final_norm'), hidden)
  return g.build(weights.folder)
}

function encoderLayer(model: ModernBertModel, x: Value, layer: number, context: AttentionContext): Value {
  const { g, config } = model
  const name = `layers.${layer}`
  const normed = layer === 0 ? x : norm(model, x, `${name}.attn_norm`)
  const attended = add(g, x, attention(model, normed, layer, context))
  const rows = narrow(model, norm(model, attended, `${name}.mlp_norm`))
  const inner = config.intermediate_size
  const [activated, gate] = split(g, widen(model, product(model, rows, `${name}.mlp.Wi`, 2 * inner)), [inner, inner])
  const gated = narrow(model, mul(g, gelu(g, activated), gate))
  return add(g, attended, widen(model, product(model, gated, `${name}.mlp.Wo`, config.hidden_size, inner)))
}

function attention(
  model: ModernBertModel,
  x: Value,
  layer: number,
  { positions, local, tables }: AttentionContext,
): Value {
  const { g, config } = model
  const { hidden_size: hidden, num_attention_heads: count, layer_types: types } = config
  const heads: Heads = { count, size: hidden / count }
  const name = `layers.${layer}.attn`
  const all = product(model, narrow(model, x), `${name}.Wqkv`, 3 * hidden, hidden, config.attention_bias)
  const [query, key, value] = split(g, all, [hidden, hidden, hidden])
  const { cos, sin } = tables[types[layer]!]
  const rotated = (rows: Value) =>
    reshape(g, rotaryEmbeddingAt(g, reshape(g, rows, [1, -1, hidden]), positions, cos, sin), [-1, hidden])
  const rows = { query: rotated(query), key: rotated(key), value }
  const attended =
    types[layer] === 'full_attention'
      ? textAttention(model, rows, heads, model.texts)
      : localAttention(model, rows, heads, local)
  return widen(model, product(model, attended, `${name}.Wo`, hidden, hidden, config.attention_bias))
}

/** A stored product with or without a bias. */
function product(
  model: ModernBertModel,
  x: Value,
  name: string,
  outputs: number,
  inputs = model.config.hidden_size,
  biased = model.config.mlp_bias,
): Value {
  const full = `${model.prefix}${name}`
  return biased ? affine(model, x, full, outputs, inputs) : linear(model, x, `${full}.weight`, outputs, inputs)
}

function norm(model: ModernBertModel, x: Value, name: string): Value {
  const { hidden_size: hidden, norm_eps: epsilon, norm_bias: biased } = model.config
  const stored = (part: string) => floatWeight(model, `${model.prefix}${name}.${part}`, [hidden])
  return layerNormalization(model.g, x, stored('weight'), biased ? stored('bias') : undefined, epsilon)
}

function declareAttention(model: ModernBertModel, maxPositions: number): AttentionContext {
  const { g, config } = model
  const size = config.hidden_size / config.num_attention_heads
  const table = (name: string, theta: number) => {
    const { cos, sin } = computeRotaryCache(maxPositions, size, { theta })
    const stored = (part: string, values: Float32Array) =>
      narrow(model, g.initializer(`${name}_${part}`, 'float32', [maxPositions, size / 2], values))
    return { cos: stored('cos', cos), sin: stored('sin', sin) }
  }
  return {
    positions: g.input('position_ids', 'int64', [1, 'sequence']),
    local: declareLocalRows(g),
    tables: {
      full_attention: table('global', config.global_rope_theta),
      sliding_attention: table('local', config.local_rope_theta),
    },
  }
}
