import * as z from 'zod'
import { ModelFormatError } from '../../../errors/index.ts'
import { readFields } from '../../configs/read-fields.ts'
import {
  headSize,
  type LanguageModelConfig,
  type LanguageModelFamily,
  plainLayers,
  requireGroups,
  sharedFields,
} from '../language-model-config.ts'
import { readRope, readRopeParameters, type RopeConfig } from '../rope-config.ts'

const positive = z.number().positive()
const size = z.number().int().positive()

const schema = z.object({
  ...sharedFields,
  head_dim: headSize.default(256),
  tie_word_embeddings: z.boolean().default(true),
  hidden_activation: z.literal('gelu_pytorch_tanh').default('gelu_pytorch_tanh'),
  attention_bias: z.literal(false).default(false),
  attn_logit_softcapping: z.null().optional(),
  final_logit_softcapping: z.null().optional(),
  use_bidirectional_attention: z.literal(false).nullish(),
  query_pre_attn_scalar: positive.default(256),
  sliding_window: size.default(4096),
  layer_types: z.array(z.enum(['full_attention', 'sliding_attention'])).nullish(),
  /** Older files say here that each layer whose number this divides sees all. */
  sliding_window_pattern: size.default(6),
  /** Older files have the theta of the layers with a window here. */
  rope_local_base_freq: positive.default(1e4),
  rope_theta: positive.default(1e6),
})

type Fields = z.output<typeof schema>

/** The text models of Gemma 3; those with vision are another architecture. */
export const gemma3: LanguageModelFamily = {
  architectures: ['Gemma3ForCausalLM'],
  bare: ['Gemma3TextModel'],
  modelTypes: ['gemma3_text'],
  ggufArchitecture: 'gemma3',
  readConfig(json, file) {
    const fields = readFields(schema, json, file, 'a supported Gemma 3 configuration')
    const { full, local } = readRopes(fields, file)
    const config: LanguageModelConfig = {
      ...fields,
      ...plainLayers(fields, full),
      layers: layerTypes(fields, file).map((type) =>
        type === 'full_attention' ? { rope: full } : { rope: local, window: fields.sliding_window },
      ),
      headNorms: true,
      postNorms: true,
      normsFromOne: true,
      activation: 'gelu_tanh',
      embeddingScale: fields.hidden_size ** 0.5,
      queryScale: fields.query_pre_attn_scalar ** -0.5,
    }
    return requireGroups(config, file)
  },
}

function layerTypes(
  { layer_types: types, num_hidden_layers: count, sliding_window_pattern: pattern }: Fields,
  file: string,
) {
  if (types && types.length !== count) {
    throw new ModelFormatError(file, `layer_types of ${count} layers (num_hidden_layers)`, String(types.length))
  }
  const rule = (layer: number) => ((layer + 1) % pattern === 0 ? 'full_attention' : 'sliding_attention')
  return types ?? Array.from({ length: count }, (_, layer) => rule(layer))
}

/** transformers 5 writes one object for each kind of layer; before, scaling was of the layers that see all only. */
function readRopes(fields: Fields, file: string): { full: RopeConfig; local: RopeConfig } {
  const { rope_parameters: both, rope_local_base_freq: theta, max_position_embeddings: positions } = fields
  if (both?.['full_attention'] === undefined) {
    // Transformers passes over what stands outside of the objects of both kinds.
    const full = readRope({ ...fields, original_max_position_embeddings: null }, file)
    if (both && (full.scaling !== undefined || full.theta !== fields.rope_theta)) {
      throw new ModelFormatError(file, 'rope_parameters.full_attention, as there are layers of two kinds', 'none')
    }
    return { full, local: { theta } }
  }
  if (fields.rope_scaling) throw new ModelFormatError(file, 'rope_parameters or rope_scaling', 'both, which may differ')
  const read = (kind: string, fallback: number) => {
    const parameters = z.looseObject({}).safeParse(both[kind]).data ?? {}
    return readRopeParameters({ parameters, field: `rope_parameters.${kind}`, theta: fallback, positions }, file)
  }
  return { full: read('full_attention', fields.rope_theta), local: read('sliding_attention', theta) }
}
