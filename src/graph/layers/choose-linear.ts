import type { AttentionForm, Backend, Precision } from '../../backends/backend.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { ComputeOptions } from './start-graph.ts'
import type { LinearMode } from './weights.ts'

/**
 * Quantised weights up to this many bytes are expanded to float32 at load. The limit is low because onnxruntime keeps what
 * it folds: 55 MB of int8 linear weights left 740 MB resident, against 70 MB kept quantised.
 */
const EXPANDABLE = 16 * 2 ** 20
/** Tables of an encoder, of which rows are picked: they are never expanded as a whole. */
const PICKED = /(^|\.)embeddings\./

/**
 * Chooses how products with quantised weights are computed. A small model is expanded, which keeps decisions exact to rounding. A
 * large one stays quantised and has its activations rounded to int8 as its weights are, in blocks (what makes MatMulNBits
 * fast on a CPU, accuracy_level 4) or whole rows; in blocks one product changes by about half a percent, and the error
 * adds up over layers.
 */
export function chooseLinear(weights: WeightIndex): LinearMode {
  const quantised = weights.names
    .filter((name) => !PICKED.test(name))
    .map((name) => weights.get(name))
    .filter((entry) => entry?.dtype === 'U8' || entry?.dtype === 'I8')
  const bytes = quantised.reduce((sum, entry) => sum + (entry?.length ?? 0), 0)
  return bytes <= EXPANDABLE ? 'float' : { accuracyLevel: 4 }
}

/** How a language model or an encoder with these weights is computed on a backend. */
export function chooseCompute(
  { attention, precision, movesHalf }: Pick<Backend, 'attention' | 'precision' | 'movesHalf'>,
  weights: WeightIndex,
): ComputeOptions<AttentionForm, Precision> {
  return { linear: chooseLinear(weights), attention, precision, movesHalf }
}
