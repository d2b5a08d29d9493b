import * as z from 'zod'
import { className } from './class-name.ts'
import { atMost } from './config-fields.ts'

const levels = <Item extends z.ZodType>(item: Item) => z.array(item).min(1).max(8)

/** The fields of an AutoencoderTiny's `config.json` that its decoder uses; only the class says that it is one. */
export const autoencoderTinyConfigSchema = z
  .object({
    _class_name: className('AutoencoderTiny').unwrap(),
    out_channels: z.literal(3).default(3),
    latent_channels: atMost(2 ** 12),
    /** Channels of each level, the coarsest first. */
    decoder_block_out_channels: levels(atMost(2 ** 14)),
    /** Blocks of each level; every further level doubles the picture. */
    num_decoder_blocks: levels(atMost(2 ** 6)),
    act_fn: z.literal('relu').default('relu'),
    upsample_fn: z.literal('nearest').default('nearest'),
    upsampling_scaling_factor: z.literal(2).default(2),
    scaling_factor: z.number().positive().default(1),
    shift_factor: z.number().default(0),
  })
  .refine(({ decoder_block_out_channels: channels }) => channels.every((count) => count === channels[0]), {
    path: ['decoder_block_out_channels'],
    message: 'must be the same on every level',
  })
  .refine(({ decoder_block_out_channels: channels, num_decoder_blocks: blocks }) => channels.length === blocks.length, {
    path: ['num_decoder_blocks'],
    message: 'must have as many levels as decoder_block_out_channels',
  })

export type AutoencoderTinyConfig = z.infer<typeof autoencoderTinyConfigSchema>
