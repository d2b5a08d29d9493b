import * as z from 'zod'
import { className } from './class-name.ts'
import { atMost } from './config-fields.ts'

const channels = atMost(2 ** 14)
const blocks = z.array(channels).min(1).max(8)

const shared = {
  in_channels: z.literal(3).default(3),
  out_channels: z.literal(3).default(3),
  down_block_types: z.array(z.literal('DownEncoderBlock2D')).optional(),
  up_block_types: z.array(z.literal('UpDecoderBlock2D')).optional(),
  /** Channels of each level, the picture's own resolution first; every further level halves it. */
  block_out_channels: blocks,
  layers_per_block: atMost(2 ** 6),
  latent_channels: atMost(2 ** 12),
  norm_num_groups: channels,
  act_fn: z.literal('silu').default('silu'),
  mid_block_add_attention: z.boolean().default(true),
  use_quant_conv: z.boolean().default(true),
  use_post_quant_conv: z.boolean().default(true),
}

/** Whether the channels of every level make whole groups, which are normalised together. */
const whole = (groups: number, levels: readonly number[]) => levels.every((count) => count % groups === 0)
const notWhole = 'must be multiples of norm_num_groups'

/** The fields of an AutoencoderKL's `config.json` that its graph and pipeline use. */
export const autoencoderKlConfigSchema = z
  .object({
    ...shared,
    _class_name: className('AutoencoderKL'),
    scaling_factor: z.number(),
    shift_factor: z.number(),
  })
  .refine(({ norm_num_groups: groups, block_out_channels: levels }) => whole(groups, levels), {
    path: ['block_out_channels'],
    message: notWhole,
  })

/** The fields of an AutoencoderKLFlux2's `config.json` that its graphs use. */
export const autoencoderKlFlux2ConfigSchema = z
  .object({
    ...shared,
    _class_name: className('AutoencoderKLFlux2'),
    decoder_block_out_channels: blocks.nullish(),
    batch_norm_eps: z.number().positive().default(1e-4),
    patch_size: z.tuple([z.literal(2), z.literal(2)]).default([2, 2]),
  })
  .refine(
    ({ norm_num_groups: groups, block_out_channels: levels, decoder_block_out_channels: others }) =>
      whole(groups, [...levels, ...(others ?? [])]),
    { path: ['block_out_channels'], message: notWhole },
  )

export type AutoencoderKlConfig = z.infer<typeof autoencoderKlConfigSchema>
export type AutoencoderKlFlux2Config = z.infer<typeof autoencoderKlFlux2ConfigSchema>
/** The fields that the blocks of both use. */
export type AutoencoderConfig = Omit<AutoencoderKlConfig, '_class_name' | 'scaling_factor' | 'shift_factor'>
