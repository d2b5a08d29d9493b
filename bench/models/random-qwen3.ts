import { exists } from '../../src/models/files/exists.ts'
import { readChatTokenizer } from './chat-tokenizer.ts'
import { languageModelShapes } from './language-model-shape.ts'
import { writeRandomFiles } from './write-random-files.ts'

/** Which of the bundles with random weights. */
export interface RandomQwen3 {
  /** 28 in the real model. */
  readonly layers: number
  readonly bits: 4 | 8
  /** Weights that share a scale. @defaultValue 128 */
  readonly block?: 'row'
}

/** Shapes of Qwen3-0.6B (its published config.json) on another vocabulary: a call reads few rows of that table. */
export function qwen3Config({ layers, bits, block }: RandomQwen3, vocabulary: number) {
  return {
    model_type: 'qwen3',
    hidden_size: 1024,
    num_hidden_layers: layers,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    head_dim: 128,
    intermediate_size: 3072,
    rms_norm_eps: 1e-6,
    rope_theta: 1_000_000,
    vocab_size: vocabulary,
    max_position_embeddings: 40_960,
    tie_word_embeddings: true,
    quantization_config: { quant_method: 'tessera', bits, block_size: block ?? 128 } as const,
  }
}

/** Folder of a bundle of random weights in the shapes of Qwen3-0.6B; it is written once and kept. */
export async function provideQwen3(which: RandomQwen3): Promise<string> {
  const folder = `out/bench-models/qwen3-0.6b-random-int${which.bits}-${which.layers}${which.block ? '-rows' : ''}`
  if (!(await exists(folder))) await writeRandomQwen3(folder, which)
  return folder
}

/** Writes a bundle of random weights in the shapes of Qwen3-0.6B, with a vocabulary of 24,576 tokens. */
export async function writeRandomQwen3(folder: string, which: RandomQwen3): Promise<void> {
  const { tokenizer, vocabulary } = await readChatTokenizer()
  const config = qwen3Config(which, vocabulary)
  const texts = { 'config.json': JSON.stringify(config), 'tokenizer.json': tokenizer }
  const weights = { 'model.safetensors': languageModelShapes(config, { headNorms: true }) }
  await writeRandomFiles(folder, { texts, weights }, { bits: which.bits, block: which.block ?? 128 })
}
