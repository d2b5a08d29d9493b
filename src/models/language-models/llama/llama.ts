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
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)) }, file)
  },
}
