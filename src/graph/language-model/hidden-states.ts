import type { AttentionForm } from '../../backends/backend.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { WeightIndex } from '../../models/weight-index.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import { gatherRows } from '../layers/linear.ts'
import { add } from '../../onnx/ops/elementwise.ts'
import { concat, reshape } from '../../onnx/ops/shape.ts'
import { narrow, type ComputeType } from '../layers/precision.ts'
import {
  selfAttention,
  projectKeyValues,
  feedForward,
  projectOutput,
  rmsNorm,
  type AttentionContext,
  type LanguageModelGraph,
} from './language-model-layer.ts'
import { computeRotaryCache } from '../layers/rotary-cache.ts'
import type { LinearMode } from '../layers/weights.ts'

export interface HiddenStatesOptions {
  /**
   * Hidden states to read, counted as transformers does: 0 is the embeddings, i the output of layer i, and the number
   * of layers the last one's output after the final norm.
   */
  readonly hiddenStates: readonly number[]
  readonly linear: LinearMode
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
  /** @defaultValue 'float32' */
  readonly precision?: ComputeType
  /** Whether the backend picks rows of a float16 table; @defaultValue true */
  readonly movesHalf?: boolean
  /** Positions the rotary tables cover; no text may be longer. */
  readonly maxPositions: number
}

/**
 * A Qwen3 model as a text encoder. Layers above the highest hidden state asked for are left out.
 *
 * Inputs: `input_ids` and `position_ids` int64 [1, S]; `seqlens_k` int32 [1], the tokens that aren't padding, minus
 * one; `total_sequence_length` int32 scalar, S. Padding stands at the end; its rows see every other token and no
 * padding, as in transformers. Output: `hidden` float32 [S, states · hidden_size], the states side by side in the order
 * asked for.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildHiddenStates(
  config: LanguageModelConfig,
  weights: WeightIndex,
  options: HiddenStatesOptions,
): BuiltGraph {
  const g = new GraphBuilder('qwen3_encoder')
  const { linear, attention: form = 'fused', precision = 'float32', movesHalf = true } = options
  const { quantization_config: quantization } = config
  const model: LanguageModelGraph = { g, config, weights, quantization, linear, attention: form, precision, movesHalf }
  const { hidden_size: hidden, vocab_size: vocabulary, num_hidden_layers: layers } = config
  // A checkpoint of the bare model, without a language model head, has no `model.` before its names.
  const prefix = weights.get('embed_tokens.weight') === undefined ? 'model.' : ''

  const ids = g.input('input_ids', 'int64', [1, 'sequence'])
  const attention = declareAttention(model, options.maxPositions)
  const states = [gatherRows(model, `${prefix}embed_tokens.weight`, reshape(g, ids, [-1]), vocabulary, hidden)]
  for (let i = 0; i < Math.max(...options.hiddenStates); i++) {
    states.push(encoderLayer(model, states[i]!, `${prefix}layers.${i}`, attention))
  }
  const tapped = options.hiddenStates.map((state) =>
    state === layers ? rmsNorm(model, states[state]!, `${prefix}norm.weight`, hidden) : states[state]!,
  )
  const width = tapped.length * hidden
  g.output('hidden', concat(g, tapped, -1), 'float32', ['sequence', width])
  return g.build(weights.folder)
}

function encoderLayer(model: LanguageModelGraph, x: Value, layer: string, attention: AttentionContext): Value {
  const { g, config } = model
  const normed = rmsNorm(model, x, `${layer}.input_layernorm.weight`, config.hidden_size)
  const output = selfAttention(model, normed, layer, { ...attention, ...projectKeyValues(model, normed, layer) })
  const attended = add(g, x, projectOutput(model, output, layer))
  const normedAgain = rmsNorm(model, attended, `${layer}.post_attention_layernorm.weight`, config.hidden_size)
  return add(g, attended, feedForward(model, normedAgain, layer))
}

function declareAttention(model: LanguageModelGraph, maxPositions: number): AttentionContext {
  const { g, config } = model
  const { cos, sin } = computeRotaryCache(maxPositions, config.head_dim, config.rope_theta)
  const dims = [maxPositions, config.head_dim / 2]
  return {
    positionIds: g.input('position_ids', 'int64', [1, 'sequence']),
    seqlensK: g.input('seqlens_k', 'int32', [1]),
    totalSequenceLength: g.input('total_sequence_length', 'int32', []),
    attentionBias: undefined,
    cosCache: narrow(model, g.initializer('cos_cache', 'float32', dims, cos)),
    sinCache: narrow(model, g.initializer('sin_cache', 'float32', dims, sin)),
  }
}
