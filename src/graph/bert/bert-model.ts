import type { AttentionForm } from '../../backends/backend.ts'
import type { BertConfig } from '../../models/configs/bert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { GraphBuilder } from '../../onnx/graph-builder.ts'
import type { ComputeType } from '../layers/precision.ts'
import type { LinearMode } from '../layers/weights.ts'
import type { BertModel } from './bert-layer.ts'

export interface BertOptions {
  readonly linear: LinearMode
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
  /** @defaultValue 'float32' */
  readonly precision?: ComputeType
  /** Whether the backend picks rows of a float16 table; @defaultValue true */
  readonly movesHalf?: boolean
}

export function bertModel(g: GraphBuilder, config: BertConfig, weights: WeightIndex, options: BertOptions): BertModel {
  const { linear, attention = 'fused', precision = 'float32', movesHalf = true } = options
  const { quantization_config: quantization } = config
  const prefix = weights.get('embeddings.word_embeddings.weight') === undefined ? 'bert.' : ''
  return { g, config, weights, quantization, linear, attention, precision, movesHalf, prefix }
}
