import { z } from 'zod'
import { ModelFormatError } from '../errors/index.ts'
import { quantizationConfigSchema } from './quantization-config.ts'

const count = z.number().int().positive()

const schema = z.object({
  hidden_size: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: count,
  // The rotary embedding inside GroupQueryAttention takes no other sizes.
  head_dim: count.multipleOf(16),
  intermediate_size: count,
  rms_norm_eps: z.number().positive(),
  vocab_size: count,
  max_position_embeddings: count,
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.literal('silu').default('silu'),
  attention_bias: z.literal(false).default(false),
  use_sliding_window: z.literal(false).default(false),
  rope_scaling: z.null().optional(),
  // transformers 5 writes `rope_parameters`, earlier versions a top-level `rope_theta`.
  rope_theta: z.number().positive().optional(),
  rope_parameters: z
    .object({ rope_type: z.literal('default').optional(), rope_theta: z.number().positive() })
    .optional(),
  quantization_config: quantizationConfigSchema.optional(),
})

type Parsed = z.infer<typeof schema>

/** The fields of a Qwen3 checkpoint's `config.json` that its graph is made from. */
export interface Qwen3Config extends Omit<Parsed, 'rope_scaling' | 'rope_parameters' | 'rope_theta'> {
  readonly rope_theta: number
}

/**
 * @param json parsed `config.json`
 * @param file its path, for errors
 * @throws ModelFormatError when a field is missing or asks for what the graph doesn't do: attention biases, scaled
 * rotary embedding, sliding windows
 */
export function parseQwen3Config(json: unknown, file: string): Qwen3Config {
  const result = schema.safeParse(json)
  if (!result.success) {
    const issue = result.error.issues[0]!
    throw new ModelFormatError(file, 'a supported Qwen3 configuration', `${issue.path.join('.')}: ${issue.message}`)
  }
  const { rope_scaling: _, rope_parameters: rope, ...config } = result.data
  const theta = rope?.rope_theta ?? config.rope_theta
  if (theta === undefined) throw new ModelFormatError(file, 'rope_theta or rope_parameters.rope_theta', 'neither')
  const { num_attention_heads: heads, num_key_value_heads: kvHeads } = config
  if (heads % kvHeads !== 0) {
    throw new ModelFormatError(file, `num_attention_heads to be a multiple of ${kvHeads} (KV heads)`, String(heads))
  }
  return { ...config, rope_theta: theta }
}
