import type { RandomModel } from './random-checkpoint.ts'

const LEVELS = [128, 256, 512, 512]
const LAYERS = 2

const COMMON = {
  in_channels: 3,
  out_channels: 3,
  layers_per_block: LAYERS,
  act_fn: 'silu',
  sample_size: 1024,
  down_block_types: LEVELS.map(() => 'DownEncoderBlock2D'),
  up_block_types: LEVELS.map(() => 'UpDecoderBlock2D'),
}

/** The autoencoder of FLUX.2 in its published size. */
export const AUTOENCODER: RandomModel = flux2Autoencoder('autoencoder', LEVELS)

/** An autoencoder of FLUX.2 with so many channels on each level. */
export function flux2Autoencoder(name: string, levels: readonly number[]): RandomModel {
  const latent = 32
  return {
    name,
    config: {
      ...COMMON,
      _class_name: 'AutoencoderKLFlux2',
      latent_channels: latent,
      block_out_channels: levels,
      norm_num_groups: Math.min(32, levels[0] as number),
      batch_norm_eps: 1e-4,
      patch_size: [2, 2],
      use_quant_conv: true,
      use_post_quant_conv: true,
    },
    shapes: {
      'bn.running_mean': [4 * latent],
      'bn.running_var': [4 * latent],
      ...convolution('post_quant_conv', latent, latent, 1),
      ...decoder(levels, latent),
      ...convolution('quant_conv', 2 * latent, 2 * latent, 1),
      ...encoder(levels, 2 * latent),
    },
  }
}

/** The autoencoder that Z-Image has from FLUX.1, in its published size or with so many channels on each level. */
export function autoencoderKl(name: string, levels: readonly number[] = LEVELS): RandomModel {
  return {
    name,
    config: {
      ...COMMON,
      _class_name: 'AutoencoderKL',
      latent_channels: 16,
      block_out_channels: levels,
      norm_num_groups: Math.min(32, levels[0] as number),
      mid_block_add_attention: true,
      force_upcast: true,
      latents_mean: null,
      latents_std: null,
      scaling_factor: 0.3611,
      shift_factor: 0.1159,
      use_quant_conv: false,
      use_post_quant_conv: false,
    },
    shapes: { ...decoder(levels, 16), ...encoder(levels, 32) },
  }
}

function decoder(channelsOf: readonly number[], latent: number): Record<string, number[]> {
  const levels = channelsOf.toReversed()
  const top = levels[0] as number
  const shapes: Record<string, number[]> = {
    ...convolution('decoder.conv_in', latent, top, 3),
    ...middle('decoder.mid_block', top),
  }
  let channels = top
  for (const [level, outputs] of levels.entries()) {
    const name = `decoder.up_blocks.${level}`
    for (let layer = 0; layer <= LAYERS; layer++) {
      Object.assign(shapes, residual(`${name}.resnets.${layer}`, layer === 0 ? channels : outputs, outputs))
    }
    channels = outputs
    if (level === levels.length - 1) continue
    Object.assign(shapes, convolution(`${name}.upsamplers.0.conv`, channels, channels, 3))
  }
  return { ...shapes, ...gain('decoder.conv_norm_out', channels), ...convolution('decoder.conv_out', channels, 3, 3) }
}

function encoder(levels: readonly number[], outputs: number): Record<string, number[]> {
  const first = levels[0] as number
  const top = levels.at(-1) as number
  const shapes: Record<string, number[]> = {
    ...convolution('encoder.conv_in', 3, first, 3),
    ...middle('encoder.mid_block', top),
    ...gain('encoder.conv_norm_out', top),
    ...convolution('encoder.conv_out', top, outputs, 3),
  }
  let channels = first
  for (const [level, width] of levels.entries()) {
    const name = `encoder.down_blocks.${level}`
    for (let layer = 0; layer < LAYERS; layer++) {
      Object.assign(shapes, residual(`${name}.resnets.${layer}`, layer === 0 ? channels : width, width))
    }
    channels = width
    if (level < levels.length - 1) Object.assign(shapes, convolution(`${name}.downsamplers.0.conv`, width, width, 3))
  }
  return shapes
}

function middle(name: string, channels: number): Record<string, number[]> {
  const shapes = {
    ...residual(`${name}.resnets.0`, channels, channels),
    ...residual(`${name}.resnets.1`, channels, channels),
    ...gain(`${name}.attentions.0.group_norm`, channels),
  }
  for (const part of ['to_q', 'to_k', 'to_v', 'to_out.0']) {
    shapes[`${name}.attentions.0.${part}.weight`] = [channels, channels]
    shapes[`${name}.attentions.0.${part}.bias`] = [channels]
  }
  return shapes
}

function residual(name: string, inputs: number, outputs: number): Record<string, number[]> {
  return {
    ...gain(`${name}.norm1`, inputs),
    ...convolution(`${name}.conv1`, inputs, outputs, 3),
    ...gain(`${name}.norm2`, outputs),
    ...convolution(`${name}.conv2`, outputs, outputs, 3),
    ...(inputs === outputs ? {} : convolution(`${name}.conv_shortcut`, inputs, outputs, 1)),
  }
}

function convolution(name: string, inputs: number, outputs: number, kernel: number): Record<string, number[]> {
  return { [`${name}.weight`]: [outputs, inputs, kernel, kernel], [`${name}.bias`]: [outputs] }
}

function gain(name: string, channels: number): Record<string, number[]> {
  return { [`${name}.weight`]: [channels], [`${name}.bias`]: [channels] }
}
