import * as z from 'zod'
import { ModelFormatError } from '../../../errors/index.ts'
import { atMost } from '../../configs/config-fields.ts'
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
  rope_theta: z.number().positive().default(1e4),
  // Transformers takes this one where a file says nothing; null is none.
  sliding_window: atMost(2 ** 24)
    .nullable()
    .default(4096),
})

/** Mistral from version 0.2 on, whose layers see all and compute as Llama's do. */
export const mistral: LanguageModelFamily = {
  architectures: ['MistralForCausalLM'],
  bare: ['MistralModel'],
  modelTypes: ['mistral'],
  ggufArchitecture: 'llama',
  readConfig(json, file) {
    const fields = readPlainFields(schema, json, file, 'Mistral')
    const { sliding_window: window, max_position_embeddings: positions } = fields
    if (window !== null && window < positions) {
      const expected = `sliding_window null or ${positions} at least (max_position_embeddings), as all layers see all: take Mistral 0.2 or later`
      throw new ModelFormatError(file, expected, `a window of ${window}`)
    }
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)) }, file)
  },
}
