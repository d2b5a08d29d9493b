import * as z from 'zod'
import { className } from './class-name.ts'
import { atMost, sizes } from './config-fields.ts'
import { quantizationFieldSchema } from './quantization-config.ts'

/** Names of the weights of linear layers. */
export const Z_IMAGE_CONTROL_MATRICES =
  /(^|\.)(control_all_x_embedder\.[\d-]+|before_proj|after_proj|adaLN_modulation\.0|to_([qkv]|out\.0)|w[123])\.weight$/

const layer = sizes.layersOrNone
const sizeOfPatch = atMost(2 ** 10)

const ascending = (places: readonly number[]) => places.every((place, i) => i === 0 || place > places[i - 1]!)
const ASCENDING = 'must be numbers of layers, each larger than the one before'

/** What libraries write into any configuration. */
const NOTE = /^_|^(torch_)?dtype$/

/** A ZImageControlNetModel's `config.json`: only the class says that it is one, and fields that are not known are refused. */
export const zImageControlConfigSchema = z
  .looseObject({
    _class_name: className('ZImageControlNetModel').unwrap(),
    /** The layers of the transformer that something is added after, for each layer of its own. */
    control_layers_places: z
      .array(layer)
      .min(1)
      .refine(([first]) => first === 0, 'must begin with layer 0')
      .refine(ascending, ASCENDING),
    /** The same of the layers that refine the noisy picture. */
    control_refiner_layers_places: z.array(layer).min(1).refine(ascending, ASCENDING).nullish(),
    /** Channels of the latents of the control, with those of a mask and of what it leaves where the model takes them. */
    control_in_dim: atMost(2 ** 12),
    /** Which layers join control and noisy picture before the others; where there are none, the control is read alone. */
    add_control_noise_refiner: z.enum(['control_layers', 'control_noise_refiner']).nullish(),
    all_patch_size: z.array(sizeOfPatch).refine((known) => known.includes(2), 'patch size 2 is needed'),
    all_f_patch_size: z.array(sizeOfPatch).refine((known) => known.includes(1), 'frame patch size 1 is needed'),
    dim: sizes.width,
    n_refiner_layers: sizes.layersOrNone,
    n_heads: sizes.heads,
    n_kv_heads: sizes.heads,
    norm_eps: z.number().positive(),
    qk_norm: z.literal(true),
    quantization_config: quantizationFieldSchema,
  })
  .superRefine((config, context) => {
    const unknown = findUnknown(config)
    if (unknown !== undefined)
      context.addIssue({ code: 'custom', path: [unknown], message: 'is no field that is known' })
  })
  .refine(({ n_heads: heads, n_kv_heads: shared }) => heads === shared, {
    path: ['n_kv_heads'],
    message: 'must be n_heads',
  })
  .refine(
    ({ add_control_noise_refiner: refines, control_refiner_layers_places: places, ...config }) => {
      const most =
        refines === 'control_layers' ? config.control_layers_places.length : refines ? config.n_refiner_layers : 0
      return refines ? places != null && places.length <= most : places == null
    },
    {
      path: ['control_refiner_layers_places'],
      message: 'must have a place for at most each layer that add_control_noise_refiner names, and be null without one',
    },
  )

const KNOWN = new Set(Object.keys(zImageControlConfigSchema.shape))

function findUnknown(config: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(config).find((field) => !KNOWN.has(field) && !NOTE.test(field))
}

export type ZImageControlConfig = z.infer<typeof zImageControlConfigSchema>
