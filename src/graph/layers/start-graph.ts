import type { AttentionForm } from '../../backends/backend.ts'
import type { QuantizationConfig } from '../../models/configs/quantization-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'
import type { TransformerAttention } from './full-attention.ts'
import type { ComputeType } from './precision.ts'
import type { GraphContext, LinearMode } from './weights.ts'

/** How the products and the attention of a model are computed. */
export interface ComputeOptions<
  Attention extends TransformerAttention = AttentionForm,
  Type extends ComputeType = ComputeType,
> {
  readonly linear: LinearMode
  /** @defaultValue 'fused' */
  readonly attention?: Attention
  /** @defaultValue 'float32' */
  readonly precision?: Type
  /** Whether the backend picks rows of a float16 table; @defaultValue true */
  readonly movesHalf?: boolean
}

/** Those of an image transformer, which picks no rows of tables. */
export type TransformerOptions = Omit<ComputeOptions<TransformerAttention>, 'movesHalf'>

interface StartedGraph<Config, Attention, Type extends ComputeType> extends GraphContext {
  readonly config: Config
  readonly attention: Attention | 'fused'
  readonly precision: Type | 'float32'
}

/** An empty graph, with all that the layers of a model share while it is built. */
export function startGraph<
  Config,
  Attention extends TransformerAttention = AttentionForm,
  Type extends ComputeType = ComputeType,
>(
  name: string,
  config: Config & { readonly quantization_config?: QuantizationConfig | undefined },
  weights: WeightIndex,
  options: ComputeOptions<Attention, Type>,
): StartedGraph<Config, Attention, Type> {
  const { linear, attention = 'fused', precision = 'float32', movesHalf = true } = options
  const { quantization_config: quantization } = config
  return { g: new GraphBuilder(name), config, weights, quantization, linear, attention, precision, movesHalf }
}
