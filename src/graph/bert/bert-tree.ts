import type { AttentionForm, Precision } from '../../backends/backend.ts'
import type { BertConfig } from '../../models/configs/bert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, gelu } from '../../onnx/ops/elementwise.ts'
import { gather } from '../../onnx/ops/shape.ts'
import { affine, linear } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import type { ComputeOptions } from '../layers/start-graph.ts'
import { declareBranchRows, type BranchRows } from '../layers/tree-attention.ts'
import { floatWeight } from '../layers/weights.ts'
import { declareBertTokens } from './bert-encoder.ts'
import {
  bertKeyValues,
  bertLayer,
  bertNorm,
  startBert,
  sumBertEmbeddings,
  type BertKeyValues,
  type BertModel,
} from './bert-layer.ts'

/** Keys and values cross to JS, so they have one of its types. */
export type BertTreeOptions = ComputeOptions<AttentionForm, Precision>

type TreeModel = BertModel & { readonly precision: Precision }

/**
 * The keys and values of a state that questions are read behind, from a pass of all its tokens, which see each other.
 *
 * Inputs: `input_ids`, `position_ids`, `token_type_ids` int64 [1, S]. Outputs: `key.{i}`, `value.{i}` [S, hidden_size] of every layer, in
 * the model's precision.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildBertTrunk(config: BertConfig, weights: WeightIndex, options: BertTreeOptions): BuiltGraph {
  const model = startBert('bert_trunk', config, weights, options)
  const { g } = model
  const { num_hidden_layers: layers } = config
  let x = bertNorm(model, sumBertEmbeddings(model, declareBertTokens(g)), 'embeddings.LayerNorm')
  for (let i = 0; i < layers; i++) {
    const keyValues = bertKeyValues(model, x, i)
    keep(model, i, keyValues)
    if (i < layers - 1) x = bertLayer(model, x, i, keyValues)
  }
  return g.build(weights.folder)
}

/**
 * A pass of branches of questions behind a trunk. All tokens see the trunk, and of each other those of their branch that the bias leaves.
 *
 * Inputs: `input_ids`, `position_ids`, `token_type_ids` int64 [1, S]; `level_ids` int64 [S], rows of `decide.level_embeddings` that are added to
 * the embeddings, of which row 0 is zero; `past_key.{i}`, `past_value.{i}` [T, hidden_size] of the trunk in the model's
 * precision; `branch_span` int64 [B, K], the keys of each branch; `branch_rows`, `branch_bias`, `branch_order` of {@link declareBranchRows}
 * with its queries; `rows` int64 [R], which of the S to read; `read_rows`, `read_bias`, `read_order`, the same of those.
 *
 * Outputs: `hidden` float32 [R, hidden_size], the last layer's; `key.{i}`, `value.{i}` [S, hidden_size] as a trunk has them.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildBertBranch(
  config: BertConfig,
  weights: WeightIndex,
  options: BertTreeOptions & { readonly levels: number },
): BuiltGraph {
  const model = startBert('bert_branch', config, weights, options)
  const { g } = model
  const { hidden_size: hidden, num_hidden_layers: layers } = config
  const levelIds = g.input('level_ids', 'int64', ['sequence'])
  const levels = gather(g, floatWeight(model, 'decide.level_embeddings', [options.levels, hidden]), levelIds)
  const span = g.input('branch_span', 'int64', ['branches', 'span'])
  const all = declareBranchRows(g, 'branch', span)
  const rows = g.input('rows', 'int64', ['rows'])
  const read = declareBranchRows(g, 'read', span)
  const embedded = add(g, sumBertEmbeddings(model, declareBertTokens(g)), levels)
  let x = bertNorm(model, embedded, 'embeddings.LayerNorm')
  for (let i = 0; i < layers; i++) {
    const own = bertKeyValues(model, x, i)
    keep(model, i, own)
    const past = (part: 'key' | 'value') => g.input(`past_${part}.${i}`, model.precision, ['past', hidden])
    const behind = { key: past('key'), value: past('value') }
    const see = (rowsOf: BranchRows) => ({ branches: { past: behind, rows: rowsOf } })
    // After the last attention no row is seen by another, so only those that are read go on.
    x = bertLayer(model, x, i, own, i === layers - 1 ? { ...see(read), rows } : see(all))
  }
  g.output('hidden', x, 'float32', ['rows', hidden])
  return g.build(weights.folder)
}

/**
 * The scorer on what a tree ends in: `score · gelu(option · e + option_bias + context · d)`.
 *
 * Inputs: `options` and `decides` float32 [N, hidden_size], e and d of each option. Output: `logits` float32 [N, 1].
 */
export function buildTreeScorer(config: BertConfig, weights: WeightIndex, options: BertTreeOptions): BuiltGraph {
  const model = startBert('tree_scorer', config, weights, options)
  const { g } = model
  const { hidden_size: hidden } = config
  const declare = (name: string) => narrow(model, g.input(name, 'float32', ['options', hidden]))
  const option = widen(model, affine(model, declare('options'), 'decide.option', hidden, hidden))
  const context = widen(model, linear(model, declare('decides'), 'decide.context.weight', hidden, hidden))
  const inner = narrow(model, gelu(g, add(g, option, context)))
  const logits = widen(model, linear(model, inner, 'decide.score.weight', 1, hidden))
  g.output('logits', logits, 'float32', ['options', 1])
  return g.build(weights.folder)
}

function keep({ g, config, precision }: TreeModel, layer: number, { key, value }: BertKeyValues): void {
  const output = (name: string, of: Value) =>
    g.output(`${name}.${layer}`, of, precision, ['sequence', config.hidden_size])
  output('key', key)
  output('value', value)
}
