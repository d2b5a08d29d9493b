import * as z from 'zod'
import { readFields } from '../../configs/read-fields.ts'
import {
  headSize,
  type LanguageModelFamily,
  plainFields,
  plainLayers,
  requireGroups,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  ...plainFields,
  head_dim: headSize,
  attention_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).default(false),
})

/** Dense Qwen3. */
export const qwen3: LanguageModelFamily = {
  architectures: ['Qwen3ForCausalLM'],
  bare: ['Qwen3Model'],
  modelTypes: ['qwen3'],
  ggufArchitecture: 'qwen3',
  readConfig(json, file) {
    const fields = readFields(schema, json, file, 'a supported Qwen3 configuration')
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)), headNorms: true }, file)
  },
}
