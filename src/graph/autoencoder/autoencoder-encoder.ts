import type {
  AutoencoderConfig,
  AutoencoderKlConfig,
  AutoencoderKlFlux2Config,
} from '../../models/configs/autoencoder-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { type BuiltGraph, withRun } from '../../onnx/built-graph.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { div, sub } from '../../onnx/ops/elementwise.ts'
import { head, reshape, spaceToDepth, transpose } from '../../onnx/ops/shape.ts'
import type { RunMemory } from '../../onnx/weigh-graph.ts'
import { batchStatistics } from '../layers/batch-statistics.ts'
import { convolution, middleBlock, normAndActivate, residualBlock, type AutoencoderModel } from './autoencoder-block.ts'
import { startAutoencoder, type AutoencoderOptions } from './autoencoder-model.ts'

/** onnxruntime holds this many values of the size of the largest one while it encodes: those of the first level. */
const HELD_AT_ONCE = 3

/** Bytes that encoding takes for each pixel of a picture beside the weights. */
export function encoderMemory({ block_out_channels: levels }: AutoencoderConfig): number {
  return HELD_AT_ONCE * levels[0]! * Float32Array.BYTES_PER_ELEMENT
}

/**
 * The encoder of an AutoencoderKLFlux2, for reference pictures. Input: `image` float32 [1, 3, H, W], -1 to 1, sides a
 * multiple of 2^levels. Output: `tokens` float32 [H·W / 4^levels, 4 · latent_channels]: the mode of the posterior,
 * packed in squares and normalised, in the order that the transformer takes.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildAutoencoderKlFlux2Encoder(
  config: AutoencoderKlFlux2Config,
  weights: WeightIndex,
  options?: AutoencoderOptions,
): BuiltGraph {
  const model = startAutoencoder('autoencoder_kl_flux2_encoder', config, weights, options)
  const { g } = model
  const { latent_channels: latents } = config
  const image = g.input('image', 'float32', [1, 3, 'height', 'width'])
  const { mean, deviation } = batchStatistics(model, 4 * latents, config.batch_norm_eps)
  // The other half of the moments is the variance, which is not asked for.
  const packed = packSquares(model, head(g, encode(model, image), latents))
  const normed = div(g, sub(g, packed, mean), deviation)
  const tokens = transpose(g, reshape(g, normed, [4 * latents, -1]), [1, 0])
  g.output('tokens', tokens, 'float32', ['tokens', 4 * latents])
  return withRun(g.build(weights.folder), describeRun(config))
}

/**
 * The encoder of an AutoencoderKL, for pictures to begin with. Input: `image` float32 [1, 3, H, W], -1 to 1, sides a
 * multiple of 2^(levels - 1). Output: `moments` float32 [1, 2 · latent_channels, h, w], the posterior's means, then the
 * logarithms of its variances.
 *
 * @throws ModelFormatError when a tensor is missing or not of the shape the configuration asks for
 */
export function buildAutoencoderKlEncoder(
  config: AutoencoderKlConfig,
  weights: WeightIndex,
  options?: AutoencoderOptions,
): BuiltGraph {
  const model = startAutoencoder('autoencoder_kl_encoder', config, weights, options)
  const { g } = model
  const image = g.input('image', 'float32', [1, 3, 'height', 'width'])
  g.output('moments', encode(model, image), 'float32', [1, 2 * config.latent_channels, 'rows', 'columns'])
  return withRun(g.build(weights.folder), describeRun(config))
}

function describeRun(config: AutoencoderConfig): RunMemory {
  return { input: 'image', bytes: encoderMemory(config) / config.in_channels }
}

/** Moments of the posterior, [1, 2 · latents, h, w]: means, then logarithms of variances. */
function encode(model: AutoencoderModel, image: Value): Value {
  const { config } = model
  const { block_out_channels: levels, latent_channels: latents } = config
  let channels = levels[0]!
  let x = convolution(model, image, 'encoder.conv_in', { inputs: config.in_channels, outputs: channels, kernel: 3 })
  for (const [i, outputs] of levels.entries()) {
    const name = `encoder.down_blocks.${i}`
    for (let r = 0; r < config.layers_per_block; r++) {
      x = residualBlock(model, x, `${name}.resnets.${r}`, r === 0 ? channels : outputs, outputs)
    }
    channels = outputs
    if (i === levels.length - 1) continue
    const shape = { inputs: channels, outputs: channels, kernel: 3, halve: true } as const
    x = convolution(model, x, `${name}.downsamplers.0.conv`, shape)
  }
  x = middleBlock(model, x, 'encoder.mid_block', channels)
  x = normAndActivate(model, x, 'encoder.conv_norm_out', channels)
  x = convolution(model, x, 'encoder.conv_out', { inputs: channels, outputs: 2 * latents, kernel: 3 })
  if (!config.use_quant_conv) return x
  return convolution(model, x, 'quant_conv', { inputs: 2 * latents, outputs: 2 * latents, kernel: 1 })
}

/** [1, C, 2h, 2w] to [4 · C, h · w, 1], the channel as the slowest axis, then the square's rows and columns. */
function packSquares({ g, config }: AutoencoderModel, x: Value): Value {
  const { latent_channels: latents } = config
  const corners = reshape(g, spaceToDepth(g, x), [4, latents, -1])
  return reshape(g, transpose(g, corners, [1, 0, 2]), [4 * latents, -1, 1])
}
