import { z } from 'zod'
import { className } from './class-name.ts'

const count = z.number().int().positive()
const blocks = z.array(count).min(1)

const shared = {
  in_channels: z.literal(3).default(3),
  out_channels: z.literal(3).default(3),
  down_block_types: z.array(z.literal('DownEncoderBlock2D')).optional(),
  up_block_types: z.array(z.literal('UpDecoderBlock2D')).optional(),
  /** Channels of each level, the picture's own resolution first; every further level halves it. */
  block_out_channels: blocks,
  layers_per_block: count,
  latent_channels: count,
  norm_num_groups: count,
  act_fn: z.literal('silu').default('silu'),
  mid_block_add_attention: z.boolean().default(true),
  use_quant_conv: z.boolean().default(true),
  use_post_quant_conv: z.boolean().default(true),
}

/** The fields of an AutoencoderKL's `config.json` that its graph and pipeline use. */
export const autoencoderKlConfigSchema = z.object({
  ...shared,
  _class_name: className('AutoencoderKL'),
  scaling_factor: z.number(),
  shift_factor: z.number(),
})

/** The fields of an AutoencoderKLFlux2's `config.json` that its graphs use. */
export const autoencoderKlFlux2ConfigSchema = z.object({
  ...shared,
  _class_name: className('AutoencoderKLFlux2'),
  decoder_block_out_channels: blocks.nullish(),
  batch_norm_eps: z.number().positive().default(1e-4),
  patch_size: z.tuple([z.literal(2), z.literal(2)]).default([2, 2]),
})

export type AutoencoderKlConfig = z.infer<typeof autoencoderKlConfigSchema>
export type AutoencoderKlFlux2Config = z.infer<typeof autoencoderKlFlux2ConfigSchema>
/** What the blocks of both have in common. */
export type AutoencoderConfig = Omit<AutoencoderKlConfig, '_class_name' | 'scaling_factor' | 'shift_factor'>
