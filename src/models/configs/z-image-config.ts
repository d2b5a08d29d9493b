import * as z from 'zod'
import { className } from './class-name.ts'
import { atMost, sizes } from './config-fields.ts'
import { quantizationFieldSchema } from './quantization-config.ts'

const patch = atMost(2 ** 10)
const axis = atMost(2 ** 10).multipleOf(2)
const places = atMost(2 ** 24)

/** Names of the weights of linear layers. */
export const Z_IMAGE_MATRICES =
  /(^|\.)(cap_embedder\.1|all_x_embedder\.[\d-]+|mlp\.[02]|adaLN_modulation\.[01]|to_([qkv]|out\.0)|w[123]|linear)\.weight$/

/** The fields of a ZImageTransformer2DModel's `config.json` that its graph is made from. */
export const zImageConfigSchema = z
  .object({
    _class_name: className('ZImageTransformer2DModel'),
    /** The pipeline uses the embedder and final layer for patches of 2 x 2 in one frame, tensors `…2-1…`. */
    all_patch_size: z.array(patch).refine((known) => known.includes(2), 'patch size 2 is needed'),
    all_f_patch_size: z.array(patch).refine((known) => known.includes(1), 'frame patch size 1 is needed'),
    in_channels: atMost(2 ** 12),
    dim: sizes.width,
    n_layers: sizes.layers,
    n_refiner_layers: sizes.layersOrNone,
    n_heads: sizes.heads,
    norm_eps: z.number().positive(),
    qk_norm: z.literal(true),
    cap_feat_dim: sizes.width,
    siglip_feat_dim: z.null().optional(),
    rope_theta: z.number().positive(),
    t_scale: z.literal(1000),
    axes_dims: z.tuple([axis, axis, axis]),
    /** Positions on each axis that the model knows. */
    axes_lens: z.tuple([places, places, places]),
    quantization_config: quantizationFieldSchema,
  })
  .refine(({ axes_dims: axes, dim, n_heads: heads }) => axes.reduce((sum, width) => sum + width, 0) * heads === dim, {
    path: ['axes_dims'],
    message: 'their sum must be dim / n_heads',
  })

export type ZImageConfig = z.infer<typeof zImageConfigSchema>
