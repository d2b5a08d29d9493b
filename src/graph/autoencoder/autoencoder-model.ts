import type { AttentionForm, Precision } from '../../backends/backend.ts'
import type { AutoencoderConfig } from '../../models/configs/autoencoder-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type ComputeOptions, startGraph } from '../layers/start-graph.ts'
import type { AutoencoderModel } from './autoencoder-block.ts'

export type AutoencoderOptions = Pick<ComputeOptions<AttentionForm, Precision>, 'attention' | 'precision'>

export function startAutoencoder(
  name: string,
  config: AutoencoderConfig,
  weights: WeightIndex,
  options?: AutoencoderOptions,
): AutoencoderModel {
  return startGraph(name, config, weights, { ...options, linear: 'float' })
}
