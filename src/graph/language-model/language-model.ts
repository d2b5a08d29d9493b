import type { Precision } from '../../backends/backend.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { cacheRows } from '../layers/cached-attention.ts'
import type { ComputeOptions } from '../layers/start-graph.ts'
import { declareAttention } from './attention-inputs.ts'
import { embedTokens, type LanguageModelGraph, startLanguageModel } from './language-model-graph.ts'
import { addLanguageModelHead, type LanguageModelHead } from './language-model-heads.ts'
import {
  groupedHeads,
  languageModelLayer,
  normalizeInput,
  projectKeyValues,
  rmsNorm,
  type LayerAttention,
} from './language-model-layer.ts'

export interface LanguageModelOptions extends ComputeOptions {
  /**
   * `prefill` computes what a KV cache keeps of its tokens; `branch` reads some rows of the last hidden state instead; `both` does
   * either, so that one session and one copy of the weights serve both.
   */
  readonly graph: 'prefill' | 'branch' | 'both'
  /** The head that makes answers of the rows that are read. A prefill graph has no head. @defaultValue 'symbols' */
  readonly head?: LanguageModelHead
  /** The type of the caches too, which cross to JS and so have one of its types. @defaultValue 'float32' */
  readonly precision?: Precision
  /** Positions the rotary tables cover; every entry of `position_ids` must be below it. */
  readonly maxPositions: number
}

/**
 * A causal language model for one sequence, as an ONNX model whose weights stay in the checkpoint's files.
 *
 * Inputs: `input_ids`, `position_ids` int64 [1,S]; `past_key.{i}`, `past_value.{i}` [1,kvHeads,T,headSize] in the
 * model's precision, of which earlier positions are read; `total_sequence_length` int32 scalar, those plus S; `seqlens_k` int32 [1],
 * that minus one.
 *
 * A prefill graph has the outputs `key.{i}`, `value.{i}` [1,kvHeads,S,headSize], for the cache, and takes no past of the last layer. They are
 * the new positions only: onnxruntime-node copies every output to new memory, those given to it as well.
 *
 * A branch graph, and one for both, takes `attention_bias` float32 [1,1,S,total], added to the scores on top of the causal mask, and
 * `rows` int64 [R], which of the S rows to read; for its outputs see {@link LanguageModelHead}. A graph for
 * both has the outputs of either, of which a run asks for those that it wants.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildLanguageModel(
  config: LanguageModelConfig,
  weights: WeightIndex,
  options: LanguageModelOptions,
): BuiltGraph {
  const model = startLanguageModel(`language_model_${options.graph}`, config, weights, options)
  const { g, prefix } = model
  const { precision = 'float32', head = 'symbols' } = options
  const reads = options.graph !== 'prefill'
  const keeps = options.graph !== 'branch'
  let x = embedTokens(model)
  const attentionOf = declareAttention(model, { positions: options.maxPositions, biased: reads })
  const rows = reads ? g.input('rows', 'int64', ['rows']) : undefined
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const layer = `${prefix}layers.${i}`
    const last = i === config.num_hidden_layers - 1
    const normed = normalizeInput(model, x, layer)
    const attention = { ...attentionOf(i), ...projectKeyValues(model, normed, layer) }
    if (keeps) declareCacheRows(model, i, attention, precision)
    if (last && !reads) break
    // After the last attention no row is seen by another, so from its queries on only the rows that are read matter.
    const past = declarePast(model, i, precision)
    x = languageModelLayer(model, { x, normed, layer }, { ...attention, ...past }, last ? rows : undefined)
  }
  if (rows !== undefined) addLanguageModelHead(model, rmsNorm(model, x, `${prefix}norm.weight`), head)
  return g.build(weights.folder)
}

function declarePast(
  { g, config }: LanguageModelGraph,
  layer: number,
  precision: Precision,
): { pastKey: Value; pastValue: Value } {
  const dims = [1, config.num_key_value_heads, 'past_length', config.head_dim]
  return {
    pastKey: g.input(`past_key.${layer}`, precision, dims),
    pastValue: g.input(`past_value.${layer}`, precision, dims),
  }
}

function declareCacheRows(
  { g, config }: LanguageModelGraph,
  layer: number,
  attention: LayerAttention,
  precision: Precision,
): void {
  const { keys, values } = cacheRows(g, attention, groupedHeads(config))
  const dims = [1, config.num_key_value_heads, 'sequence', config.head_dim]
  g.output(`key.${layer}`, keys, precision, dims)
  g.output(`value.${layer}`, values, precision, dims)
}
