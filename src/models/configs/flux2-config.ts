import * as z from 'zod'
import { className } from './class-name.ts'
import { atMost, sizes } from './config-fields.ts'
import { quantizationFieldSchema } from './quantization-config.ts'

const axis = atMost(2 ** 10).multipleOf(2)

/** Names of the weights of linear layers. */
export const FLUX2_MATRICES =
  /(^|\.)(context_embedder|x_embedder|linear(_[12]|_in|_out)?|to_([qkv]|out(\.0)?|add_out|qkv_mlp_proj)|add_[qkv]_proj|proj_out)\.weight$/

/** The fields of a Flux2Transformer2DModel's `config.json` that its graph is made from. */
export const flux2ConfigSchema = z
  .object({
    _class_name: className('Flux2Transformer2DModel'),
    patch_size: z.literal(1).default(1),
    in_channels: atMost(2 ** 12),
    out_channels: z.number().int().nullish(),
    num_layers: sizes.layersOrNone,
    num_single_layers: sizes.layersOrNone,
    attention_head_dim: atMost(2 ** 10),
    num_attention_heads: sizes.heads,
    joint_attention_dim: sizes.width,
    timestep_guidance_channels: z.literal(256).default(256),
    mlp_ratio: z.number().positive().max(64).default(3),
    axes_dims_rope: z.tuple([axis, axis, axis, axis]),
    rope_theta: z.number().positive().default(2000),
    eps: z.number().positive().default(1e-6),
    guidance_embeds: z.literal(false),
    quantization_config: quantizationFieldSchema,
  })
  .refine(
    ({ axes_dims_rope: axes, attention_head_dim: size }) => axes.reduce((sum, width) => sum + width, 0) === size,
    { path: ['axes_dims_rope'], message: 'their sum must be attention_head_dim' },
  )
  .refine(({ in_channels: input, out_channels: output }) => (output ?? input) === input, {
    path: ['out_channels'],
    message: 'must be in_channels',
  })

export type Flux2Config = z.infer<typeof flux2ConfigSchema>
