import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import { concat } from '../../onnx/ops/shape.ts'
import type { RunMemory } from '../../onnx/weigh-graph.ts'
import type { ComputeOptions } from '../layers/start-graph.ts'
import { declareAttention } from './attention-inputs.ts'
import { embedTokens, startLanguageModel } from './language-model-graph.ts'
import { languageModelLayer, normalizeInput, projectKeyValues, rmsNorm } from './language-model-layer.ts'

export interface HiddenStatesOptions extends ComputeOptions {
  /**
   * Hidden states to read, counted as transformers does: 0 is the embeddings, i the output of layer i, and the number
   * of layers the last one's output after the final norm.
   */
  readonly hiddenStates: readonly number[]
  /** Positions the rotary tables cover; no text may be longer. */
  readonly maxPositions: number
}

/**
 * A causal language model as a text encoder. Layers above the highest hidden state asked for are left out.
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
  const model = startLanguageModel('hidden_states', config, weights, options)
  const { g, prefix } = model
  const { hidden_size: hidden, num_hidden_layers: layers } = config
  const states = [embedTokens(model)]
  const attentionOf = declareAttention(model, { positions: options.maxPositions, biased: false })
  for (let i = 0; i < Math.max(...options.hiddenStates); i++) {
    const layer = `${prefix}layers.${i}`
    const x = states[i]!
    const normed = normalizeInput(model, x, layer)
    const attention = { ...attentionOf(i), ...projectKeyValues(model, normed, layer) }
    states.push(languageModelLayer(model, { x, normed, layer }, attention))
  }
  const tapped = options.hiddenStates.map((state) =>
    state === layers ? rmsNorm(model, states[state]!, `${prefix}norm.weight`) : states[state]!,
  )
  g.output('hidden', concat(g, tapped, -1), 'float32', ['sequence', tapped.length * hidden])
  return withRun(g.build(weights.folder), describeHiddenRun(config, tapped.length))
}

/**
 * A layer holds for each token queries, keys and values, the three rows of its feed-forward, the same once more as other
 * operators take them, and rows of the model's width; the states that are read are held, and put side by side.
 */
export function describeHiddenRun(config: LanguageModelConfig, states: number): RunMemory {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: size } = config
  const projected = (config.num_attention_heads + 2 * config.num_key_value_heads) * size + 3 * inner
  const held = 2 * projected + (4 + 2 * states) * hidden
  return { input: 'input_ids', bytes: held * Float32Array.BYTES_PER_ELEMENT }
}
