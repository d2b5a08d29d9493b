import * as z from 'zod'
import {
  type LanguageModelFamily,
  plainFields,
  plainLayers,
  readPlainFields,
  requireGroups,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  ...plainFields,
  use_sliding_window: z.literal(false).default(false),
})

/** Qwen2 and Qwen2.5. */
export const qwen2: LanguageModelFamily = {
  architectures: ['Qwen2ForCausalLM'],
  bare: ['Qwen2Model'],
  modelTypes: ['qwen2'],
  ggufArchitecture: 'qwen2',
  readConfig(json, file) {
    const fields = readPlainFields(schema, json, file, 'Qwen2')
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)), projectionBiases: true }, file)
  },
}
