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
  use_sliding_window: z.literal(false).default(false),
})

/** Qwen2 and Qwen2.5. */
export const qwen2: LanguageModelFamily = {
  name: 'Qwen2',
  architectures: ['Qwen2ForCausalLM'],
  bare: ['Qwen2Model'],
  modelTypes: ['qwen2'],
  ggufArchitecture: 'qwen2',
  matrices: MATRICES,
  readConfig(json, file) {
    const fields = withHeadSize(readFields(schema, json, file, 'Qwen2'), file, 'Qwen2')
    return requireGroups({ ...fields, ...plainLayers(fields, readRope(fields, file)), projectionBiases: true }, file)
  },
}
