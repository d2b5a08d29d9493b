import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { atMost, sizes } from './config-fields.ts'
import { quantizationFieldSchema } from './quantization-config.ts'
import { readFields } from './read-fields.ts'

const schema = z.object({
  model_type: z.literal('bert'),
  hidden_size: sizes.width,
  num_hidden_layers: sizes.layers,
  num_attention_heads: sizes.heads,
  intermediate_size: sizes.innerWidth,
  max_position_embeddings: atMost(2 ** 16),
  type_vocab_size: atMost(2 ** 10),
  vocab_size: sizes.vocabulary,
  layer_norm_eps: z.number().positive(),
  hidden_act: z.literal('gelu'),
  position_embedding_type: z.literal('absolute').default('absolute'),
  is_decoder: z.literal(false).default(false),
  add_cross_attention: z.literal(false).default(false),
  quantization_config: quantizationFieldSchema,
})

/** Names of linear and embedding weights, of the encoder and of the heads on it. */
export const BERT_MATRICES =
  /(^|\.)((word|position|token_type)_embeddings|query|key|value|dense|classifier|decide\.(option|context|score))\.weight$/

/** The fields of a BERT checkpoint's `config.json` that its graph is made from. */
export type BertConfig = z.infer<typeof schema>

/**
 * @param json parsed `config.json`
 * @param file its path, for errors
 * @throws ModelFormatError when a field is missing or asks for what the graph doesn't do: relative positions, another
 * activation, a decoder
 */
export function parseBertConfig(json: unknown, file: string): BertConfig {
  const config = readFields(schema, json, file, 'a supported BERT configuration')
  const { hidden_size: hidden, num_attention_heads: heads } = config
  if (hidden % heads !== 0) {
    throw new ModelFormatError(file, `hidden_size to be a multiple of ${heads} (heads)`, String(hidden))
  }
  return config
}
