import * as z from 'zod'
import {
  headSize,
  MATRICES,
  type LanguageModelFamily,
  plainLayers,
  readFields,
  requireGroups,
  sharedFields,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  ...sharedFields,
  head_dim: headSize,
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.literal('silu').default('silu'),
  attention_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).default(false),
})

/** Dense Qwen3. */
export const qwen3: LanguageModelFamily = {
  name: 'Qwen3',
  architectures: ['Qwen3ForCausalLM'],
  bare: ['Qwen3Model'],
  modelTypes: ['qwen3'],
  ggufArchitecture: 'qwen3',
  matrices: MATRICES,
  readConfig(json, file) {
    const fields = readFields(schema, json, file, 'Qwen3')
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)), headNorms: true }, file)
  },
}
