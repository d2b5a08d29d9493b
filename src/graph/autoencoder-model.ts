import type { AttentionForm } from '../backends/backend.ts'
import type { AutoencoderConfig } from '../models/autoencoder-config.ts'
import type { WeightIndex } from '../models/weight-index.ts'
import type { AutoencoderModel } from './autoencoder-block.ts'
import { GraphBuilder } from './graph-builder.ts'

export interface AutoencoderOptions {
  /** @defaultValue 'fused' */
  readonly attention?: AttentionForm
}

export function startAutoencoder(
  name: string, config: AutoencoderConfig, weights: WeightIndex, { attention = 'fused' }: AutoencoderOptions = {},
): AutoencoderModel {
  return { g: new GraphBuilder(name), config, weights, quantization: undefined, linear: 'float', attention }
}
