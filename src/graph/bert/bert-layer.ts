import type { AttentionForm } from '../../backends/backend.ts'
import type { BertConfig } from '../../models/configs/bert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, gelu } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { gather } from '../../onnx/ops/shape.ts'
import { textAttention, type TextRows } from '../layers/block-attention.ts'
import { fullAttention, type AttentionGraph, type Heads } from '../layers/full-attention.ts'
import { affine, gatherRows } from '../layers/linear.ts'
import { narrow, widen, type ComputeType } from '../layers/precision.ts'
import { type ComputeOptions, startGraph } from '../layers/start-graph.ts'
import { treeAttention, type BranchRows } from '../layers/tree-attention.ts'
import { floatWeight } from '../layers/weights.ts'

export interface BertModel extends AttentionGraph {
  readonly config: BertConfig
  /** The prefix of the names of the encoder's tensors: `bert.` in checkpoints with a head, else nothing. */
  readonly prefix: string
}

export function startBert<Type extends ComputeType>(
  name: string,
  config: BertConfig,
  weights: WeightIndex,
  options: ComputeOptions<AttentionForm, Type>,
) {
  const prefix = weights.get('embeddings.word_embeddings.weight') === undefined ? 'bert.' : ''
  return { ...startGraph(name, config, weights, options), prefix }
}

/** Of one layer, [S, hidden] each in the model's precision. */
export interface BertKeyValues {
  readonly key: Value
  readonly value: Value
}

export interface BertTokens {
  /** int64 [S] each: token ids, positions, and segments (0 or 1). */
  readonly ids: Value
  readonly positions: Value
  readonly segments: Value
}

/** Sum of the word, position and segment embeddings, not normalised yet: float32 [S, hidden]. */
export function sumBertEmbeddings(model: BertModel, { ids, positions, segments }: BertTokens): Value {
  const { g, config } = model
  const rows = (name: string, indices: Value, count: number) =>
    gatherRows(model, `${model.prefix}embeddings.${name}.weight`, indices, count, config.hidden_size)
  const words = rows('word_embeddings', ids, config.vocab_size)
  const places = rows('position_embeddings', positions, config.max_position_embeddings)
  return add(g, add(g, words, places), rows('token_type_embeddings', segments, config.type_vocab_size))
}

/** LayerNorm of float32 [S, hidden] with the stored `name.weight` and `name.bias`. */
export function bertNorm(model: BertModel, x: Value, name: string): Value {
  const { hidden_size: hidden, layer_norm_eps: epsilon } = model.config
  const [scale, shift] = ['weight', 'bias'].map((part) =>
    floatWeight(model, `${model.prefix}${name}.${part}`, [hidden]),
  )
  return layerNormalization(model.g, x, scale!, shift, epsilon)
}

/** Keys and values of the hidden state x [S, hidden]. */
export function bertKeyValues(model: BertModel, x: Value, layer: number): BertKeyValues {
  return { key: project(model, x, layer, 'key'), value: project(model, x, layer, 'value') }
}

/** What the rows of a layer see: all keys, those of their text, or those of a trunk and of their branch. */
interface BertAttention {
  /** The texts of the pass, where all its rows are queries and keys. */
  readonly texts?: TextRows
  /** Branches behind a trunk, whose keys and values are given. */
  readonly branches?: { readonly past: BertKeyValues; readonly rows: BranchRows }
  /** int64 [R] */
  readonly rows?: Value
}

/**
 * One layer on the hidden state x [S, hidden], float32: attention to the given keys and values, then the feed-forward, each added
 * and normalised after it. With `rows` (int64 [R]) only these of x go on: [R, hidden].
 */
export function bertLayer(
  model: BertModel,
  x: Value,
  layer: number,
  keyValues: BertKeyValues,
  { rows, ...seen }: BertAttention = {},
): Value {
  const { g, config } = model
  const { hidden_size: hidden, intermediate_size: inner } = config
  const prefix = `${model.prefix}encoder.layer.${layer}`
  const read = rows === undefined ? x : gather(g, x, rows)
  const attended = attend(model, project(model, read, layer, 'query'), keyValues, seen)
  const output = widen(model, affine(model, attended, `${prefix}.attention.output.dense`, hidden, hidden))
  const normed = bertNorm(model, add(g, read, output), `encoder.layer.${layer}.attention.output.LayerNorm`)
  const up = widen(model, affine(model, narrow(model, normed), `${prefix}.intermediate.dense`, inner, hidden))
  const down = widen(model, affine(model, narrow(model, gelu(g, up)), `${prefix}.output.dense`, hidden, inner))
  return bertNorm(model, add(g, normed, down), `encoder.layer.${layer}.output.LayerNorm`)
}

function attend(
  model: BertModel,
  query: Value,
  { key, value }: BertKeyValues,
  { texts, branches }: Omit<BertAttention, 'rows'>,
): Value {
  const heads = bertHeads(model.config)
  if (texts !== undefined) return textAttention(model, { query, key, value }, heads, texts)
  if (branches === undefined) return fullAttention(model, query, key, value, heads)
  const { past, rows } = branches
  return treeAttention(model, { query, key, value, pastKey: past.key, pastValue: past.value }, heads, rows)
}

function bertHeads({ num_attention_heads: count, hidden_size }: BertConfig): Heads {
  return { count, size: hidden_size / count }
}

function project(model: BertModel, x: Value, layer: number, part: 'query' | 'key' | 'value'): Value {
  const { hidden_size: hidden } = model.config
  const name = `${model.prefix}encoder.layer.${layer}.attention.self.${part}`
  return affine(model, narrow(model, x), name, hidden, hidden)
}
