import * as z from 'zod'
import {
  type LanguageModelFamily,
  groupedFields,
  plainLayers,
  readPlainFields,
  requireGroups,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  // Transformers writes num_key_value_heads from 4.31 and rope_theta from 4.33 on.
  ...groupedFields,
  rope_theta: z.number().positive().default(1e4),
  // Old files divide products among devices here, which rounds otherwise.
  pretraining_tp: z.literal(1).default(1),
})

/** Llama 2 and 3, SmolLM and SmolLM2, and what else is published in their classes. */
export const llama: LanguageModelFamily = {
  architectures: ['LlamaForCausalLM'],
  bare: ['LlamaModel'],
  modelTypes: ['llama'],
  ggufArchitecture: 'llama',
  readConfig(json, file) {
    const fields = readPlainFields(schema, json, file, 'Llama')
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)) }, file)
  },
}
