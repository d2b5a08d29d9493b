import { ModelFormatError } from '../../errors/index.ts'
import type { QuantizationConfig } from '../../models/configs/quantization-config.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { tensorPrefix } from '../../models/language-models/tensor-layout.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { mul } from '../../onnx/ops/elementwise.ts'
import { reshape } from '../../onnx/ops/shape.ts'
import type { AttentionGraph } from '../layers/full-attention.ts'
import { gatherRows } from '../layers/linear.ts'
import { type ComputeOptions, startGraph } from '../layers/start-graph.ts'

export interface LanguageModelGraph extends AttentionGraph {
  readonly config: LanguageModelConfig
  /** The prefix of the names of the checkpoint's tensors. */
  readonly prefix: string
  /** Is told what each norm in front of matrices makes, by the name of its weights. */
  readonly onNorm?: (name: string, normed: Value) => void
}

export function startLanguageModel(
  name: string,
  config: LanguageModelConfig,
  weights: WeightIndex,
  options: ComputeOptions,
): LanguageModelGraph {
  refuseSmoothed(weights, config.quantization_config)
  return { ...startGraph(name, config, weights, options), prefix: tensorPrefix(weights) }
}

/** An adapter was trained on what norms make as it was before its channels were divided. */
function refuseSmoothed({ changes }: WeightIndex, quantization: QuantizationConfig | undefined): void {
  const [change] = [...(changes?.values() ?? [])].flat()
  if (quantization?.smoothed !== true || change === undefined) return
  const expected = 'a model whose channels are not smoothed, such as `npx tessera-onnx quantize --for portable` makes'
  throw new ModelFormatError(change.file, expected, 'one with smoothed channels (quantization_config.smoothed)')
}

/** Declares `input_ids` int64 [1, S] and looks them up: [S, hidden], as all work but attention is without a batch axis. */
export function embedTokens(model: LanguageModelGraph): Value {
  const { g, config, prefix } = model
  const ids = reshape(g, g.input('input_ids', 'int64', [1, 'sequence']), [-1])
  const x = gatherRows(model, `${prefix}embed_tokens.weight`, ids, config.vocab_size, config.hidden_size)
  return config.embeddingScale === 1 ? x : mul(g, x, g.scalar(config.embeddingScale, 'float32'))
}
