import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { atMost, sizes } from '../configs/config-fields.ts'
import type { Family } from '../configs/model-config.ts'
import { quantizationFieldSchema, type QuantizationConfig } from '../configs/quantization-config.ts'
import { readFields } from '../configs/read-fields.ts'
import { ropeFields, type RopeConfig } from './rope-config.ts'

/** The values that the graph of a causal language model is made from, under the names that `config.json` has for it. */
export interface LanguageModelConfig {
  readonly hidden_size: number
  readonly num_hidden_layers: number
  readonly num_attention_heads: number
  readonly num_key_value_heads: number
  readonly head_dim: number
  readonly intermediate_size: number
  readonly rms_norm_eps: number
  readonly vocab_size: number
  /** Positions that the model was made for. */
  readonly max_position_embeddings: number
  /** Whether the head is the embeddings where the file holds none of its own. */
  readonly tie_word_embeddings: boolean
  readonly quantization_config?: QuantizationConfig | undefined
  /** One for each layer. */
  readonly layers: readonly LayerConfig[]
  /** Whether each head of queries and keys has an RMSNorm. */
  readonly headNorms: boolean
  /** Whether the projections to queries, keys and values have biases. */
  readonly projectionBiases: boolean
  /** Whether attention and feed-forward are normalised also behind. */
  readonly postNorms: boolean
  /** Whether stored weights of norms are what exceeds 1. */
  readonly normsFromOne: boolean
  readonly activation: 'silu' | 'gelu_tanh'
  /** The factor of the embeddings. */
  readonly embeddingScale: number
  /** The factor of products of queries and keys. */
  readonly queryScale: number
}

interface LayerConfig {
  /** How queries and keys are rotated; they are not, without one. */
  readonly rope?: RopeConfig
  /** The number of last tokens that each sees, itself counted; all without one. */
  readonly window?: number
}

/** The layers of Llama, on which other families build. */
export function plainLayers(
  { num_hidden_layers: count, head_dim: size }: { readonly num_hidden_layers: number; readonly head_dim: number },
  rope: RopeConfig,
) {
  return {
    layers: Array.from({ length: count }, (): LayerConfig => ({ rope })),
    headNorms: false,
    projectionBiases: false,
    postNorms: false,
    normsFromOne: false,
    activation: 'silu',
    embeddingScale: 1,
    queryScale: size ** -0.5,
  } as const
}

/** Linear and embedding weights, which the graphs of all families read in fewer bits too. */
export const LANGUAGE_MODEL_MATRICES =
  /^(model\.)?(embed_tokens|layers\.\d+\.(self_attn|mlp)\.[a-z]+_proj)\.weight$|^lm_head\.weight$/

/** A row of the registry of language models. */
export interface LanguageModelFamily extends Family {
  /** Classes of transformers without a head, which read texts for pictures but answer nothing. */
  readonly bare: readonly string[]
  /** `general.architecture` of GGUF files that hold one. */
  readonly ggufArchitecture: string
  /** @throws ModelFormatError naming the field that is missing or asks for what the graph does not compute */
  readConfig(json: unknown, file: string): LanguageModelConfig
}

/** Fields that all families have. */
export const sharedFields = {
  hidden_size: sizes.width,
  num_hidden_layers: sizes.layers,
  num_attention_heads: sizes.heads,
  num_key_value_heads: sizes.heads,
  intermediate_size: sizes.innerWidth,
  rms_norm_eps: z.number().positive(),
  vocab_size: sizes.vocabulary,
  max_position_embeddings: atMost(2 ** 24),
  quantization_config: quantizationFieldSchema,
  layer_types: z.array(z.literal('full_attention')).nullish(),
  /** Transformers has the tokens of any family see those after them too where this says so. */
  is_causal: z.literal(true).default(true),
  ...ropeFields,
}

/** Values in a head. Fused attention takes no other sizes. */
export const headSize = atMost(2 ** 10).multipleOf(8)

/** Fields of families whose layers compute as those of Llama. */
export const plainFields = {
  ...sharedFields,
  head_dim: headSize.nullish(),
  tie_word_embeddings: z.boolean().default(false),
  hidden_act: z.literal('silu').default('silu'),
}

/** The same, of those whose files may leave the number of heads of keys and values out. */
export const groupedFields = {
  ...plainFields,
  num_key_value_heads: sharedFields.num_key_value_heads.nullish(),
  attention_bias: z.literal(false).default(false),
  mlp_bias: z.literal(false).default(false),
}

/**
 * Plain fields, in which nothing is left out: the size of a head is by default the width divided by the heads, and each head of queries has
 * keys and values of its own.
 *
 * @throws ModelFormatError naming the first field that does not fit
 */
export function readPlainFields<Schema extends z.ZodType<PlainFields>>(
  schema: Schema,
  json: unknown,
  file: string,
  family: string,
) {
  const expected = `a supported ${family} configuration`
  const fields = readFields(schema, json, file, expected)
  const { hidden_size: width, num_attention_heads: heads, num_key_value_heads: groups, head_dim: size } = fields
  const { head_dim } = readFields(z.object({ head_dim: headSize }), { head_dim: size ?? width / heads }, file, expected)
  return { ...fields, head_dim, num_key_value_heads: groups ?? heads }
}

interface PlainFields {
  readonly hidden_size: number
  readonly num_attention_heads: number
  readonly num_key_value_heads?: number | null | undefined
  readonly head_dim?: number | null | undefined
}

/** @throws ModelFormatError unless every head of keys and values serves equally many heads of queries */
export function requireGroups(config: LanguageModelConfig, file: string): LanguageModelConfig {
  const { num_attention_heads: heads, num_key_value_heads: groups } = config
  if (heads % groups === 0) return config
  throw new ModelFormatError(
    file,
    `num_attention_heads to be a multiple of num_key_value_heads, ${groups}`,
    String(heads),
  )
}
