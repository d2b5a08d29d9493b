import { readChatTokenizer } from './chat-tokenizer.ts'
import { layerMatrices } from './qwen3-shape.ts'
import type { RandomModel } from './random-checkpoint.ts'

const LAYERS = 8
const SHAPE = {
  hidden_size: 512,
  num_attention_heads: 8,
  num_key_value_heads: 4,
  head_dim: 64,
  intermediate_size: 1536,
}

/** A Qwen3 language model of 38 million random weights with the vocabulary of the bundle `tokenizerOf`. */
export async function qwen3Mid(tokenizerOf: string): Promise<RandomModel> {
  const { tokenizer, vocabulary } = await readChatTokenizer(tokenizerOf)
  const { hidden_size: hidden, head_dim: head } = SHAPE
  const shapes: Record<string, readonly number[]> = {
    'model.embed_tokens.weight': [vocabulary, hidden],
    'model.norm.weight': [hidden],
  }
  for (let i = 0; i < LAYERS; i++) {
    const name = (part: string) => `model.layers.${i}.${part}.weight`
    for (const [part, shape] of Object.entries(layerMatrices(SHAPE))) shapes[name(part)] = shape
    for (const part of ['input_layernorm', 'post_attention_layernorm']) shapes[name(part)] = [hidden]
    for (const part of ['self_attn.q_norm', 'self_attn.k_norm']) shapes[name(part)] = [head]
  }
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
  return { name: 'qwen3-mid', config, shapes, files: { 'tokenizer.json': tokenizer } }
}
