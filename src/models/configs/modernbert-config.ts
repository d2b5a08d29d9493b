import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { atMost, sizes } from './config-fields.ts'
import { quantizationFieldSchema } from './quantization-config.ts'
import { readFields } from './read-fields.ts'

const layerType = z.enum(['full_attention', 'sliding_attention'])
const plain = z.literal('default').optional()
/** `type` is the older name, which transformers reads where there is no other. */
const rope = z.object({ rope_type: plain, type: plain, rope_theta: z.number().positive() })

const schema = z.object({
  model_type: z.literal('modernbert'),
  hidden_size: sizes.width,
  num_hidden_layers: sizes.layers,
  num_attention_heads: sizes.heads,
  intermediate_size: sizes.innerWidth,
  max_position_embeddings: atMost(2 ** 16),
  vocab_size: sizes.vocabulary,
  norm_eps: z.number().positive().default(1e-5),
  norm_bias: z.boolean().default(false),
  attention_bias: z.boolean().default(false),
  mlp_bias: z.boolean().default(false),
  hidden_activation: z.literal('gelu').default('gelu'),
  local_attention: atMost(2 ** 16).default(128),
  /** Half of the same, which transformers takes where there are both. */
  sliding_window: atMost(2 ** 15).optional(),
  classifier_pooling: z.enum(['cls', 'mean']).default('cls'),
  classifier_bias: z.boolean().default(false),
  classifier_activation: z.literal('gelu').default('gelu'),
  rope_scaling: z.null().optional(),
  // transformers 5 writes the next two, earlier versions the three after them.
  layer_types: z.array(layerType).optional(),
  rope_parameters: z.object({ full_attention: rope, sliding_attention: rope }).optional(),
  global_attn_every_n_layers: sizes.layers.default(3),
  global_rope_theta: z.number().positive().default(160_000),
  local_rope_theta: z.number().positive().nullable().default(10_000),
  quantization_config: quantizationFieldSchema,
})

/** Names of linear and embedding weights, of the encoder and of the heads on it. */
export const MODERNBERT_MATRICES = /(^|\.)(tok_embeddings|Wqkv|Wi|Wo|head\.dense|classifier)\.weight$/

/** Those of Laya and Julia: of the encoder, and of the transformer layers behind it. */
export const MARKER_HEAD_MATRICES =
  /^encoder\.(.+\.)?(tok_embeddings|Wqkv|Wi|Wo)\.weight$|^head\.layers\.\d+\.(self_attn\.in_proj_weight|(self_attn\.out_proj|linear[12])\.weight)$/

type Parsed = z.infer<typeof schema>

/** The fields of a ModernBERT checkpoint's `config.json` that its graph is made from. */
export interface ModernBertConfig extends Omit<
  Parsed,
  'rope_scaling' | 'rope_parameters' | 'layer_types' | 'global_attn_every_n_layers' | 'sliding_window'
> {
  /** The kind of attention of each layer. */
  readonly layer_types: readonly z.infer<typeof layerType>[]
  readonly global_rope_theta: number
  readonly local_rope_theta: number
}

/**
 * @param json parsed `config.json`
 * @param file its path, for errors
 * @throws ModelFormatError when a field is missing or asks for what the graph doesn't do: scaled rotary embedding, another activation
 */
export function parseModernBertConfig(json: unknown, file: string): ModernBertConfig {
  const {
    rope_scaling: _,
    rope_parameters: stored,
    layer_types,
    global_attn_every_n_layers: every,
    sliding_window: half,
    ...config
  } = readFields(schema, json, file, 'a supported ModernBERT configuration')
  const { num_hidden_layers: layers, hidden_size: hidden, num_attention_heads: heads } = config
  const byRule = (_layer: unknown, i: number) => (i % every === 0 ? 'full_attention' : 'sliding_attention')
  const types = layer_types ?? Array.from({ length: layers }, byRule)
  if (types.length !== layers) throw new ModelFormatError(file, `layer_types of ${layers} layers`, String(types.length))
  if (hidden % (2 * heads) !== 0) {
    throw new ModelFormatError(file, `hidden_size to be a multiple of ${2 * heads} (pairs of heads)`, String(hidden))
  }
  return {
    ...config,
    layer_types: types,
    local_attention: half === undefined ? config.local_attention : 2 * half,
    global_rope_theta: stored?.full_attention.rope_theta ?? config.global_rope_theta,
    // Checkpoints before the two bases were told apart have null here, for the same as the other.
    local_rope_theta: stored?.sliding_attention.rope_theta ?? config.local_rope_theta ?? config.global_rope_theta,
  }
}
