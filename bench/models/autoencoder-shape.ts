import type { RandomModel } from './random-checkpoint.ts'

const LEVELS = [128, 256, 512, 512]
const LATENT = 32
const LAYERS = 2

/** The decoder of FLUX.2 in its published size. */
export const AUTOENCODER: RandomModel = {
  name: 'autoencoder',
  config: {
    _class_name: 'AutoencoderKLFlux2',
    in_channels: 3,
    out_channels: 3,
    latent_channels: LATENT,
    layers_per_block: LAYERS,
    block_out_channels: LEVELS,
    down_block_types: LEVELS.map(() => 'DownEncoderBlock2D'),
    up_block_types: LEVELS.map(() => 'UpDecoderBlock2D'),
    norm_num_groups: 32,
    act_fn: 'silu',
    sample_size: 1024,
    batch_norm_eps: 1e-4,
    patch_size: [2, 2],
    use_quant_conv: true,
    use_post_quant_conv: true,
  },
  shapes: decoder(),
}

function decoder(): Record<string, number[]> {
  const levels = LEVELS.toReversed()
  const top = levels[0] as number
  const shapes: Record<string, number[]> = {
    'bn.running_mean': [4 * LATENT],
    'bn.running_var': [4 * LATENT],
    ...convolution('post_quant_conv', LATENT, LATENT, 1),
    ...convolution('decoder.conv_in', LATENT, top, 3),
    ...residual('decoder.mid_block.resnets.0', top, top),
    ...residual('decoder.mid_block.resnets.1', top, top),
    ...gain('decoder.mid_block.attentions.0.group_norm', top),
  }
  for (const part of ['to_q', 'to_k', 'to_v', 'to_out.0']) {
    shapes[`decoder.mid_block.attentions.0.${part}.weight`] = [top, top]
    shapes[`decoder.mid_block.attentions.0.${part}.bias`] = [top]
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
