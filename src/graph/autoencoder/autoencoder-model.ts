import type { AttentionForm, Precision } from '../../backends/backend.ts'
import type { AutoencoderConfig } from '../../models/configs/autoencoder-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'
import type { AutoencoderModel } from './autoencoder-block.ts'

export interface AutoencoderOptions {
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
  /** @defaultValue 'float32' */
  readonly precision?: Precision
}

export function startAutoencoder(
  name: string,
  config: AutoencoderConfig,
  weights: WeightIndex,
  { attention = 'fused', precision = 'float32' }: AutoencoderOptions = {},
): AutoencoderModel {
  return { g: new GraphBuilder(name), config, weights, quantization: undefined, linear: 'float', attention, precision }
}
