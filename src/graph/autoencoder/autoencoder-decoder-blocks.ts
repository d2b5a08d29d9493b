import type { AutoencoderConfig } from '../../models/configs/autoencoder-config.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import {
  convolution,
  middleBlock,
  normAndActivate,
  residualBlock,
  type AutoencoderModel,
  type GivenStatistics,
} from './autoencoder-block.ts'
import { doubleAndConvolve } from './double-and-convolve.ts'

/** A residual block of a decoder, with the upsampling in front of it. */
export interface DecoderBlock {
  readonly name: string
  readonly inputs: number
  readonly outputs: number
  /** From 0, the resolution of the latents; every further level doubles it. */
  readonly level: number
  /** The convolution after doubling; only the first block of a level has one, and that of level 0 has none. */
  readonly upsampler?: string
}

/** @param blockChannels of each level, the picture's own resolution first */
export function listDecoderBlocks(
  config: Pick<AutoencoderConfig, 'layers_per_block'>,
  blockChannels: readonly number[],
): DecoderBlock[] {
  const levels = blockChannels.toReversed()
  return levels.flatMap((outputs, level) =>
    // A decoder has one residual block more per level than the configuration says.
    Array.from({ length: config.layers_per_block + 1 }, (_, r): DecoderBlock => {
      const block = { name: `decoder.up_blocks.${level}.resnets.${r}`, outputs, level }
      if (r > 0) return { ...block, inputs: outputs }
      if (level === 0) return { ...block, inputs: levels[0]! }
      return { ...block, inputs: levels[level - 1]!, upsampler: `decoder.up_blocks.${level - 1}.upsamplers.0.conv` }
    }),
  )
}

/** From latents [1, latent_channels, h, w] to what the first block takes. */
export function beginDecoding(model: AutoencoderModel, latents: Value, [first]: readonly DecoderBlock[]): Value {
  const { latent_channels: inner, use_post_quant_conv: converted } = model.config
  const channels = first!.inputs
  const x = converted
    ? convolution(model, latents, 'post_quant_conv', { inputs: inner, outputs: inner, kernel: 1 })
    : latents
  const widened = convolution(model, x, 'decoder.conv_in', { inputs: inner, outputs: channels, kernel: 3 })
  return middleBlock(model, widened, 'decoder.mid_block', channels)
}

/** The doubling in front of a block, if there is one. */
export function enlarge(model: AutoencoderModel, x: Value, { upsampler, inputs }: DecoderBlock): Value {
  return upsampler === undefined ? x : doubleAndConvolve(model, x, upsampler, inputs)
}

/** One block, after its doubling. */
export function enlargeAndRefine(
  model: AutoencoderModel,
  x: Value,
  block: DecoderBlock,
  statistics?: readonly GivenStatistics[],
): Value {
  return residualBlock(model, enlarge(model, x, block), block.name, block.inputs, block.outputs, statistics)
}

/** From what the last block makes to colours [1, 3, H, W]. */
export function endDecoding(
  model: AutoencoderModel,
  x: Value,
  blocks: readonly DecoderBlock[],
  statistics?: GivenStatistics,
): Value {
  const inputs = blocks.at(-1)!.outputs
  const activated = normAndActivate(model, x, 'decoder.conv_norm_out', inputs, statistics)
  return convolution(model, activated, 'decoder.conv_out', { inputs, outputs: model.config.out_channels, kernel: 3 })
}
