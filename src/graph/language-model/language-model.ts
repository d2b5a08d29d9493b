import type { AttentionForm, Precision } from '../../backends/backend.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { WeightIndex } from '../../models/weight-index.ts'
import { cacheRows } from '../layers/cached-attention.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import { gatherRows } from '../layers/linear.ts'
import { add } from '../../onnx/ops/elementwise.ts'
import { gather, reshape } from '../../onnx/ops/shape.ts'
import { narrow } from '../layers/precision.ts'
import {
  selfAttention,
  groupedHeads,
  projectKeyValues,
  feedForward,
  projectOutput,
  rmsNorm,
  type AttentionContext,
  type KeyValues,
  type LanguageModelGraph,
} from './language-model-layer.ts'
import { addLanguageModelHead, type LanguageModelHead } from './language-model-heads.ts'
import { computeRotaryCache } from '../layers/rotary-cache.ts'
import type { LinearMode } from '../layers/weights.ts'

export interface LanguageModelOptions {
  /** `prefill` computes what a KV cache keeps of its tokens; `branch` reads some rows of the last hidden state instead. */
  readonly graph: 'prefill' | 'branch'
  /** How the rows of a branch graph are read. A prefill graph has no head. @defaultValue 'symbols' */
  readonly head?: LanguageModelHead
  readonly linear: LinearMode
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
  /** Of the caches too. @defaultValue 'float32' */
  readonly precision?: Precision
  /** Whether the backend picks rows of a float16 table; @defaultValue true */
  readonly movesHalf?: boolean
  /** Positions the rotary tables cover; every entry of `position_ids` must be below it. */
  readonly maxPositions: number
}

/** Caches cross to JS, so they have one of its types. */
type CachedModel = LanguageModelGraph & { readonly precision: Precision }

/**
 * A Qwen3 decoder for one sequence, as an ONNX model whose weights stay in the checkpoint's files.
 *
 * Inputs: `input_ids`, `position_ids` int64 [1,S]; `past_key.{i}`, `past_value.{i}` [1,kvHeads,T,headSize] in the
 * model's precision, of which earlier positions are read; `total_sequence_length` int32 scalar, those plus S; `seqlens_k` int32 [1],
 * that minus one.
 *
 * A prefill graph has the outputs `key.{i}`, `value.{i}` [1,kvHeads,S,headSize], for the cache, and takes no past of the last layer. They are
 * the new positions only: onnxruntime-node copies every output to new memory, those given to it as well.
 *
 * A branch graph takes `attention_bias` float32 [1,1,S,total], added to the scores on top of the causal mask, and
 * `rows` int64 [R], which of the S rows to read; for its outputs see {@link LanguageModelHead}.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildLanguageModel(
  config: LanguageModelConfig,
  weights: WeightIndex,
  options: LanguageModelOptions,
): BuiltGraph {
  const g = new GraphBuilder(`qwen3_${options.graph}`)
  const { linear, attention: form = 'fused', precision = 'float32', movesHalf = true } = options
  const { quantization_config: quantization } = config
  const model: CachedModel = { g, config, weights, quantization, linear, attention: form, precision, movesHalf }
  const branch = options.graph === 'branch'
  const { hidden_size: hidden, num_hidden_layers: layers, vocab_size: vocabulary } = config

  const ids = g.input('input_ids', 'int64', [1, 'sequence'])
  const context = declareAttention(model, options.maxPositions, branch)
  const rows = branch ? g.input('rows', 'int64', ['rows']) : undefined
  // Work is in [S, hidden]: the ids lose their batch axis of one here and only attention gets it back.
  let x = gatherRows(model, 'model.embed_tokens.weight', reshape(g, ids, [-1]), vocabulary, hidden)

  for (let i = 0; i < layers; i++) {
    const layer = `model.layers.${i}`
    const last = i === layers - 1
    const normed = rmsNorm(model, x, `${layer}.input_layernorm.weight`, hidden)
    const keyValues = projectKeyValues(model, normed, layer)
    if (rows === undefined) {
      declareCacheRows(model, i, { ...context, ...keyValues })
      if (last) break
    }
    const attention = { ...context, ...declarePast(model, i), ...keyValues }
    // After the last attention no row is seen by another, so from its queries on only the rows that are read matter.
    const read = last ? rows : undefined
    const output = selfAttention(model, normed, layer, attention, read)
    x = add(g, read === undefined ? x : gather(g, x, read), projectOutput(model, output, layer))
    x = add(g, x, feedForward(model, rmsNorm(model, x, `${layer}.post_attention_layernorm.weight`, hidden), layer))
  }
  if (rows !== undefined)
    addLanguageModelHead(model, rmsNorm(model, x, 'model.norm.weight', hidden), options.head ?? 'symbols')
  return g.build(weights.folder)
}

function declareAttention(model: LanguageModelGraph, maxPositions: number, branch: boolean): AttentionContext {
  const { g, config } = model
  const { cos, sin } = computeRotaryCache(maxPositions, config.head_dim, config.rope_theta)
  const dims = [maxPositions, config.head_dim / 2]
  return {
    positionIds: g.input('position_ids', 'int64', [1, 'sequence']),
    seqlensK: g.input('seqlens_k', 'int32', [1]),
    totalSequenceLength: g.input('total_sequence_length', 'int32', []),
    attentionBias: branch
      ? narrow(model, g.input('attention_bias', 'float32', [1, 1, 'sequence', 'total_sequence']))
      : undefined,
    cosCache: narrow(model, g.initializer('cos_cache', 'float32', dims, cos)),
    sinCache: narrow(model, g.initializer('sin_cache', 'float32', dims, sin)),
  }
}

function declarePast({ g, config, precision }: CachedModel, layer: number): { pastKey: Value; pastValue: Value } {
  const dims = [1, config.num_key_value_heads, 'past_length', config.head_dim]
  return {
    pastKey: g.input(`past_key.${layer}`, precision, dims),
    pastValue: g.input(`past_value.${layer}`, precision, dims),
  }
}

function declareCacheRows(
  { g, config, precision }: CachedModel,
  layer: number,
  inputs: AttentionContext & KeyValues,
): void {
  const { keys, values } = cacheRows(g, inputs, groupedHeads(config))
  const dims = [1, config.num_key_value_heads, 'sequence', config.head_dim]
  g.output(`key.${layer}`, keys, precision, dims)
  g.output(`value.${layer}`, values, precision, dims)
}
