import type { AutoencoderKlConfig, AutoencoderKlFlux2Config } from '../../models/configs/autoencoder-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { depthToSpace } from '../../onnx/ops/shape.ts'
import { batchStatistics } from '../layers/batch-statistics.ts'
import type { AutoencoderModel } from './autoencoder-block.ts'
import { beginDecoding, endDecoding, enlargeAndRefine, listDecoderBlocks } from './autoencoder-decoder-blocks.ts'
import { startAutoencoder, type AutoencoderOptions } from './autoencoder-model.ts'
import { divideDecoder, type DividedDecoder, type StartedDecoder } from './divided-decoder.ts'

/** The decoder of an autoencoder as one graph, and as several that decode a picture in parts. */
export interface DecoderGraphs {
  /**
   * Input: `latents` float32 [1, C, h, w]. Output: `image` float32 [1, 3, H, W], about -1 to 1.
   *
   * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
   */
  whole(): BuiltGraph
  readonly divided: DividedDecoder
}

/**
 * The decoder of an AutoencoderKL. Its `latents` have `latent_channels` channels and are as the transformer makes them
 * (scaled and shifted); the sides of the picture are 2^(levels - 1) times as large.
 */
export function describeAutoencoderKlDecoder(
  config: AutoencoderKlConfig,
  weights: WeightIndex,
  options?: AutoencoderOptions,
): DecoderGraphs {
  return describe(config.block_out_channels, () => {
    const model = startAutoencoder('autoencoder_kl_decoder', config, weights, options)
    return { model, readLatents: () => readLatents(model, config) }
  })
}

/**
 * The decoder of an AutoencoderKLFlux2. Its `latents` have 4 · `latent_channels` channels, packed in squares and
 * normalised, as the transformer makes them; the sides of the picture are 2^levels times as large.
 */
export function describeAutoencoderKlFlux2Decoder(
  config: AutoencoderKlFlux2Config,
  weights: WeightIndex,
  options?: AutoencoderOptions,
): DecoderGraphs {
  return describe(config.decoder_block_out_channels ?? config.block_out_channels, () => {
    const model = startAutoencoder('autoencoder_kl_flux2_decoder', config, weights, options)
    return { model, readLatents: () => readPackedLatents(model, config) }
  })
}

function describe(blockChannels: readonly number[], start: () => StartedDecoder): DecoderGraphs {
  return {
    whole() {
      const { model, readLatents } = start()
      const blocks = listDecoderBlocks(model.config, blockChannels)
      let x = beginDecoding(model, readLatents(), blocks)
      for (const block of blocks) x = enlargeAndRefine(model, x, block)
      model.g.output('image', endDecoding(model, x, blocks), 'float32', [1, 3, 'height', 'width'])
      return model.g.build(model.weights.folder)
    },
    divided: divideDecoder(blockChannels, start),
  }
}

function readLatents({ g }: AutoencoderModel, config: AutoencoderKlConfig): Value {
  const latents = g.input('latents', 'float32', [1, config.latent_channels, 'latent_height', 'latent_width'])
  const scaled = mul(g, latents, g.scalar(1 / config.scaling_factor, 'float32'))
  return add(g, scaled, g.scalar(config.shift_factor, 'float32'))
}

function readPackedLatents(model: AutoencoderModel, config: AutoencoderKlFlux2Config): Value {
  const { g } = model
  const packed = 4 * config.latent_channels
  const latents = g.input('latents', 'float32', [1, packed, 'latent_height', 'latent_width'])
  const { mean, deviation } = batchStatistics(model, packed, config.batch_norm_eps)
  return depthToSpace(g, add(g, mul(g, latents, deviation), mean))
}
