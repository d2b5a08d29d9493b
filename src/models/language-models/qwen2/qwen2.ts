import { z } from 'zod'
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
    const fields = readFields(schema, json, file, 'Qwen2')
    const size = fields.head_dim ?? fields.hidden_size / fields.num_attention_heads
    const { head_dim } = readFields(z.object({ head_dim: headSize }), { head_dim: size }, file, 'Qwen2')
    const sized = { ...fields, head_dim }
    return requireGroups({ ...sized, ...plainLayers(sized, readRope(fields, file)), projectionBiases: true }, file)
  },
}
