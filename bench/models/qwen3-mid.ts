import { readChatTokenizer } from './chat-tokenizer.ts'
import { languageModelShapes } from './language-model-shape.ts'
import type { RandomModel } from './random-checkpoint.ts'

const LAYERS = 8
const SHAPE = {
  hidden_size: 512,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 64,
  intermediate_size: 1536,
}

/** A Qwen3 language model of 38 million random weights and a vocabulary of 24,576 tokens. */
export async function qwen3Mid(): Promise<RandomModel> {
  const { tokenizer, vocabulary } = await readChatTokenizer()
  const config = {
    model_type: 'qwen3',
    ...SHAPE,
    num_hidden_layers: LAYERS,
    rms_norm_eps: 1e-6,
    rope_theta: 1_000_000,
    vocab_size: vocabulary,
    max_position_embeddings: 4096,
    tie_word_embeddings: true,
  }
  const shapes = languageModelShapes(config, { headNorms: true })
  return { name: 'qwen3-mid', config, shapes, files: { 'tokenizer.json': tokenizer } }
}
