import type { AttentionForm } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import type { QuantizationConfig } from '../../models/configs/quantization-config.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { tensorPrefix } from '../../models/language-models/tensor-layout.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import { mul } from '../../onnx/ops/elementwise.ts'
import { reshape } from '../../onnx/ops/shape.ts'
import type { AttentionGraph } from '../layers/full-attention.ts'
import { gatherRows } from '../layers/linear.ts'
import type { ComputeType } from '../layers/precision.ts'
import type { LinearMode } from '../layers/weights.ts'

export interface LanguageModelGraph extends AttentionGraph {
  readonly config: LanguageModelConfig
  readonly movesHalf: boolean
  /** The prefix of the names of the checkpoint's tensors. */
  readonly prefix: string
  /** Is told what each norm in front of matrices makes, by the name of its weights. */
  readonly onNorm?: (name: string, normed: Value) => void
}

export interface ComputeOptions {
  readonly linear: LinearMode
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
  /** @defaultValue 'float32' */
  readonly precision?: ComputeType
  /** Whether the backend picks rows of a float16 table; @defaultValue true */
  readonly movesHalf?: boolean
}

export function startLanguageModel(
  name: string,
  config: LanguageModelConfig,
  weights: WeightIndex,
  { linear, attention = 'fused', precision = 'float32', movesHalf = true }: ComputeOptions,
): LanguageModelGraph {
  const { quantization_config: quantization } = config
  refuseSmoothed(weights, quantization)
  const prefix = tensorPrefix(weights)
  return { g: new GraphBuilder(name), config, weights, quantization, linear, attention, precision, movesHalf, prefix }
}

/** An adapter was trained on what norms make as it was before its channels were divided. */
function refuseSmoothed({ changes }: WeightIndex, quantization: QuantizationConfig | undefined): void {
  const [change] = [...(changes?.values() ?? [])].flat()
  if (quantization?.smoothed !== true || change === undefined) return
  const expected = 'a model whose channels are not smoothed, such as `tessera quantize --for portable` makes'
  throw new ModelFormatError(change.file, expected, 'one with smoothed channels (quantization_config.smoothed)')
}

/** Declares `input_ids` int64 [1, S] and looks them up: [S, hidden], as all work but attention is without a batch axis. */
export function embedTokens(model: LanguageModelGraph): Value {
  const { g, config, prefix } = model
  const ids = reshape(g, g.input('input_ids', 'int64', [1, 'sequence']), [-1])
  const x = gatherRows(model, `${prefix}embed_tokens.weight`, ids, config.vocab_size, config.hidden_size)
  return config.embeddingScale === 1 ? x : mul(g, x, g.scalar(config.embeddingScale, 'float32'))
}
