import type { GraphModel } from '../backends/backend.ts'
import type { AutoencoderKlConfig, AutoencoderKlFlux2Config } from '../models/autoencoder-config.ts'
import type { WeightIndex } from '../models/weight-index.ts'
import {
  convolution, middleBlock, normAndActivate, residualBlock, type AutoencoderModel,
} from './autoencoder-block.ts'
import { startAutoencoder, type AutoencoderOptions } from './autoencoder-model.ts'
import { batchStatistics } from './batch-statistics.ts'
import type { Value } from './graph-builder.ts'
import { upsampleNearest } from './ops/convolution.ts'
import { add, mul } from './ops/elementwise.ts'
import { depthToSpace } from './ops/shape.ts'

/**
 * The decoder of an AutoencoderKL. Input: `latents` float32 [1, latent_channels, h, w], as the transformer makes them
 * (scaled and shifted). Output: `image` float32 [1, 3, H, W], about -1 to 1, H and W 2^(levels - 1) times as large.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildAutoencoderKlDecoder(
  config: AutoencoderKlConfig, weights: WeightIndex, options?: AutoencoderOptions,
): GraphModel {
  const model = startAutoencoder('autoencoder_kl_decoder', config, weights, options)
  const { g } = model
  const latents = g.input('latents', 'float32', [1, config.latent_channels, 'latent_height', 'latent_width'])
  const scaled = mul(g, latents, g.scalar(1 / config.scaling_factor, 'float32'))
  const shifted = add(g, scaled, g.scalar(config.shift_factor, 'float32'))
  g.output('image', decode(model, shifted, config.block_out_channels), 'float32', [1, 3, 'height', 'width'])
  return g.build(weights.folder)
}

/**
 * The decoder of an AutoencoderKLFlux2. Input: `latents` float32 [1, 4 · latent_channels, h, w], packed in squares and
 * normalised, as the transformer makes them. Output: `image` float32 [1, 3, H, W], about -1 to 1, H and W 2^levels
 * times as large.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildAutoencoderKlFlux2Decoder(
  config: AutoencoderKlFlux2Config, weights: WeightIndex, options?: AutoencoderOptions,
): GraphModel {
  const model = startAutoencoder('autoencoder_kl_flux2_decoder', config, weights, options)
  const { g } = model
  const packed = 4 * config.latent_channels
  const latents = g.input('latents', 'float32', [1, packed, 'latent_height', 'latent_width'])
  const { mean, deviation } = batchStatistics(model, packed, config.batch_norm_eps)
  const unpacked = depthToSpace(g, add(g, mul(g, latents, deviation), mean))
  const channels = config.decoder_block_out_channels ?? config.block_out_channels
  g.output('image', decode(model, unpacked, channels), 'float32', [1, 3, 'height', 'width'])
  return g.build(weights.folder)
}

function decode(model: AutoencoderModel, latents: Value, blockChannels: readonly number[]): Value {
  const { config } = model
  const { latent_channels: inner } = config
  const levels = blockChannels.toReversed()
  let channels = levels[0]!
  let x = config.use_post_quant_conv
    ? convolution(model, latents, 'post_quant_conv', { inputs: inner, outputs: inner, kernel: 1 })
    : latents
  x = convolution(model, x, 'decoder.conv_in', { inputs: inner, outputs: channels, kernel: 3 })
  x = middleBlock(model, x, 'decoder.mid_block', channels)
  for (const [i, outputs] of levels.entries()) {
    const name = `decoder.up_blocks.${i}`
    x = residualBlocks(model, x, name, channels, outputs)
    channels = outputs
    if (i === levels.length - 1) continue
    const upsampled = upsampleNearest(model.g, x)
    x = convolution(model, upsampled, `${name}.upsamplers.0.conv`, { inputs: channels, outputs: channels, kernel: 3 })
  }
  x = normAndActivate(model, x, 'decoder.conv_norm_out', channels)
  return convolution(model, x, 'decoder.conv_out', { inputs: channels, outputs: config.out_channels, kernel: 3 })
}

/** A decoder has one residual block more per level than the configuration says. */
function residualBlocks(model: AutoencoderModel, x: Value, name: string, inputs: number, outputs: number): Value {
  const { layers_per_block: layers } = model.config
  let y = x
  for (let r = 0; r <= layers; r++) {
    y = residualBlock(model, y, `${name}.resnets.${r}`, r === 0 ? inputs : outputs, outputs)
  }
  return y
}
