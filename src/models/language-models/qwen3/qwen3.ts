import { z } from 'zod'
import { ModelFormatError } from '../../../errors/index.ts'
import {
  headSize,
  type LanguageModelFamily,
  readFields,
  requireGroups,
  sharedFields,
} from '../language-model-config.ts'

const schema = z.object({
  ...sharedFields,
  head_dim: headSize,
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.literal('silu').default('silu'),
  attention_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).default(false),
  rope_scaling: z.null().optional(),
  // transformers 5 writes `rope_parameters`, earlier versions a top-level `rope_theta`.
  rope_theta: z.number().positive().optional(),
  rope_parameters: z
    .strictObject({ rope_type: z.literal('default').optional(), rope_theta: z.number().positive() })
    .optional(),
})

/** Dense Qwen3. */
export const qwen3: LanguageModelFamily = {
  name: 'Qwen3',
  architectures: ['Qwen3ForCausalLM'],
  bare: ['Qwen3Model'],
  modelTypes: ['qwen3'],
  readConfig(json, file) {
    const { rope_scaling: _, rope_parameters: rope, ...fields } = readFields(schema, json, file, 'Qwen3')
    const theta = rope?.rope_theta ?? fields.rope_theta
    if (theta === undefined) throw new ModelFormatError(file, 'rope_theta or rope_parameters.rope_theta', 'neither')
    return requireGroups({ ...fields, rope_theta: theta }, file)
  },
}
