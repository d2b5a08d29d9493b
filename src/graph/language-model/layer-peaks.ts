import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import type { NormGroup } from '../../models/language-models/norm-groups.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { abs, maximum } from '../../onnx/ops/elementwise.ts'
import { reduceMax } from '../../onnx/ops/shape.ts'
import { floatWeight } from '../layers/weights.ts'
import { declareAttention } from './attention-inputs.ts'
import { startLanguageModel } from './language-model-graph.ts'
import { languageModelLayer, normalizeInput, projectKeyValues } from './language-model-layer.ts'

export interface LayerPeaksOptions {
  /** Counted from 0. */
  readonly layer: number
  /** Norms of the layer whose channels are looked at. */
  readonly groups: readonly NormGroup[]
  /** Positions the rotary tables cover; no text may be longer. */
  readonly maxPositions: number
}

/**
 * One layer of a causal language model, which tells how large the channels behind its norms get.
 *
 * Inputs: `x` float32 [S, hidden], the hidden state before it, and `position_ids`, `seqlens_k`, `total_sequence_length` as those of
 * `buildHiddenStates`. Outputs: `y` float32 [S, hidden], the hidden state behind it; of group i `input.{i}` and `weight.{i}` float32
 * [1, hidden], the largest magnitude of each channel among what the norm makes of all tokens, and among the weights that meet it.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildLayerPeaks(
  config: LanguageModelConfig,
  weights: WeightIndex,
  { layer, groups, maxPositions }: LayerPeaksOptions,
): BuiltGraph {
  const made = new Map<string, Value>()
  const onNorm = (name: string, normed: Value) => void made.set(name, normed)
  const model = { ...startLanguageModel('layer_peaks', config, weights, { linear: 'float' }), onNorm }
  const { g, prefix } = model
  const { hidden_size: hidden } = config
  const x = g.input('x', 'float32', ['sequence', hidden])
  const name = `${prefix}layers.${layer}`
  const normed = normalizeInput(model, x, name)
  const attention = declareAttention(model, { positions: maxPositions, biased: false })(layer)
  const inputs = { ...attention, ...projectKeyValues(model, normed, name) }
  g.output('y', languageModelLayer(model, { x, normed, layer: name }, inputs), 'float32', ['sequence', hidden])
  for (const [i, { norm, matrices }] of groups.entries()) {
    const stored = matrices.map((matrix) => floatWeight(model, matrix, [weights.get(matrix)!.shape[0]!, hidden]))
    const largest = stored.map((weight) => largestInChannels(g, weight))
    g.output(`input.${i}`, largestInChannels(g, made.get(norm)!), 'float32', [1, hidden])
    g.output(
      `weight.${i}`,
      largest.reduce((a, b) => maximum(g, a, b)),
      'float32',
      [1, hidden],
    )
  }
  return g.build(weights.folder)
}

function largestInChannels(g: GraphBuilder, rows: Value): Value {
  return reduceMax(g, abs(g, rows), [0])
}
