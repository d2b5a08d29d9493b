import * as z from 'zod'
import {
  headSize,
  MATRICES,
  type LanguageModelFamily,
  plainLayers,
  readFields,
  requireGroups,
  sharedFields,
  withHeadSize,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  ...sharedFields,
  // Transformers wrote the one from 4.31 on and the other from 4.33 on.
  num_key_value_heads: sharedFields.num_key_value_heads.nullish(),
  rope_theta: z.number().positive().default(1e4),
  head_dim: headSize.nullish(),
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.literal('silu').default('silu'),
  attention_bias: z.literal(false).default(false),
  mlp_bias: z.literal(false).default(false),
  // Old files divide products among devices here, which rounds otherwise.
  pretraining_tp: z.literal(1).default(1),
})

/** Llama 2 and 3, SmolLM and SmolLM2, and what else is published in their classes. */
export const llama: LanguageModelFamily = {
  name: 'Llama',
  architectures: ['LlamaForCausalLM'],
  bare: ['LlamaModel'],
  modelTypes: ['llama'],
  ggufArchitecture: 'llama',
  matrices: MATRICES,
  readConfig(json, file) {
    const fields = withHeadSize(readFields(schema, json, file, 'Llama'), file, 'Llama')
    const groups = fields.num_key_value_heads ?? fields.num_attention_heads
    const layers = plainLayers(fields, readRope(fields, file))
    return requireGroups({ ...fields, ...layers, num_key_value_heads: groups }, file)
  },
}
