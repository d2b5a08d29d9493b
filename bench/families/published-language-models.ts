import { readChatTokenizer } from '../models/chat-tokenizer.ts'
import { type LanguageModelParts, languageModelShapes } from '../models/language-model-shape.ts'
import type { RandomFiles } from '../models/write-random-files.ts'

/** [width, layers, heads, heads of keys and values, size of a head, inner width, vocabulary] */
type Size = readonly [number, number, number, number, number, number, number]

interface Published {
  readonly family: keyof typeof FAMILIES
  readonly size: Size
  readonly positions: number
}

const FAMILIES = {
  Qwen3ForCausalLM: { type: 'qwen3', theta: 1e6, parts: { headNorms: true } },
  Qwen2ForCausalLM: { type: 'qwen2', theta: 1e6, parts: { biases: true } },
  LlamaForCausalLM: { type: 'llama', theta: 5e5, parts: {} },
  Gemma3ForCausalLM: { type: 'gemma3_text', theta: 1e6, parts: { headNorms: true, postNorms: true } },
} satisfies Record<string, { type: string; theta: number; parts: LanguageModelParts }>

/** Sizes in published `config.json` files; models of 4 billion parameters take too long here. */
const PUBLISHED = {
  'qwen3-0.6b': { family: 'Qwen3ForCausalLM', size: [1024, 28, 16, 8, 128, 3072, 151_936], positions: 40_960 },
  'qwen3-1.7b': { family: 'Qwen3ForCausalLM', size: [2048, 28, 16, 8, 128, 6144, 151_936], positions: 40_960 },
  'qwen2.5-0.5b': { family: 'Qwen2ForCausalLM', size: [896, 24, 14, 2, 64, 4864, 151_936], positions: 32_768 },
  'qwen2.5-1.5b': { family: 'Qwen2ForCausalLM', size: [1536, 28, 12, 2, 128, 8960, 151_936], positions: 32_768 },
  'smollm2-135m': { family: 'LlamaForCausalLM', size: [576, 30, 9, 3, 64, 1536, 49_152], positions: 8192 },
  'smollm2-1.7b': { family: 'LlamaForCausalLM', size: [2048, 24, 32, 32, 64, 8192, 49_152], positions: 8192 },
  'llama-3.2-1b': { family: 'LlamaForCausalLM', size: [2048, 16, 32, 8, 64, 8192, 128_256], positions: 131_072 },
  'gemma-3-270m': { family: 'Gemma3ForCausalLM', size: [640, 18, 4, 1, 256, 2048, 262_144], positions: 32_768 },
  'gemma-3-1b': { family: 'Gemma3ForCausalLM', size: [1152, 26, 4, 1, 256, 6912, 262_144], positions: 32_768 },
} satisfies Record<string, Published>

export const LANGUAGE_MODELS = Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[]

/** A language model in its published shape, with a vocabulary that takes the first of its rows. */
export async function languageModelFiles(name: keyof typeof PUBLISHED, block: number): Promise<RandomFiles> {
  const { family, size, positions }: Published = PUBLISHED[name]
  const { type, theta, parts } = FAMILIES[family]
  const { tokenizer } = await readChatTokenizer()
  const [hidden, layers, heads, keyValueHeads, head, inner, vocabulary] = size
  const fields = {
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: keyValueHeads,
    head_dim: head,
    intermediate_size: inner,
    vocab_size: vocabulary,
  }
  const config = {
    architectures: [family],
    model_type: type,
    ...fields,
    max_position_embeddings: positions,
    rms_norm_eps: 1e-6,
    rope_theta: theta,
    tie_word_embeddings: true,
    ...(type === 'gemma3_text' && { sliding_window: 512 }),
    quantization_config: { quant_method: 'tessera', bits: 8, block_size: block },
  }
  const texts = { 'config.json': JSON.stringify(config), 'tokenizer.json': tokenizer }
  return { texts, weights: { 'model.safetensors': languageModelShapes(fields, parts) } }
}

/** The longest block, up to 128, of which all rows are whole ones. */
export function blockOf(name: keyof typeof PUBLISHED): number {
  const [hidden, , heads, , head, inner] = PUBLISHED[name].size
  return [128, 64, 32].find((block) => [hidden, heads * head, inner].every((width) => width % block === 0))!
}
