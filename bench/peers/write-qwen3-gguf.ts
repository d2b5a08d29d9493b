import { randomFillSync } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '../../src/models/files/exists.ts'
import { type GgufTensor, type GgufValue, writeGgufFile } from '../../test/helpers/gguf-writer.ts'
import { layerMatrices } from '../models/language-model-shape.ts'
import { qwen3Config, type RandomQwen3 } from '../models/random-qwen3.ts'

/** ggml_type and the layout of a block of 32 values: a half-precision scale, then the values. */
const FORMATS = { 8: { type: 8, bytes: 34 }, 4: { type: 2, bytes: 18 } }
const BLOCK = 32
const F32 = 0
/** 2⁻¹¹ in half precision: makes products of random weights neither vanish nor grow without bound. */
const SCALE = 0x1000
const TOKEN_TYPE = { normal: 1, control: 3 }

/**
 * The shapes of a bundle with random weights as GGUF, with random weights of its own in Q8_0 or Q4_0, and the vocabulary
 * of that bundle, so that both sides read the same text as the same ids.
 */
export async function provideQwen3Gguf(bundle: string, which: RandomQwen3): Promise<string> {
  const path = `${bundle}.gguf`
  if (await exists(path)) return path
  const vocabulary = await readVocabulary(bundle)
  const config = qwen3Config(which, vocabulary.tokens.length)
  await writeGgufFile(path, describe(config, vocabulary), makeTensors(config, which.bits))
  return path
}

type Config = ReturnType<typeof qwen3Config>

interface Vocabulary {
  readonly tokens: readonly string[]
  readonly types: readonly number[]
  readonly merges: readonly string[]
  readonly end: number
}

async function readVocabulary(bundle: string): Promise<Vocabulary> {
  const { model, added_tokens: added } = JSON.parse(await readFile(join(bundle, 'tokenizer.json'), 'utf8')) as {
    model: { vocab: Record<string, number>; merges: (string | [string, string])[] }
    added_tokens: { id: number; content: string }[]
  }
  const tokens: string[] = []
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token
  for (const { id, content } of added) tokens[id] = content
  const control = new Set(added.map(({ id }) => id))
  return {
    tokens,
    types: tokens.map((_, id) => (control.has(id) ? TOKEN_TYPE.control : TOKEN_TYPE.normal)),
    merges: model.merges.map((pair) => (typeof pair === 'string' ? pair : pair.join(' '))),
    end: tokens.indexOf('<|im_end|>'),
  }
}

function describe(config: Config, { tokens, types, merges, end }: Vocabulary): Record<string, GgufValue> {
  const settings: Record<string, GgufValue> = {
    block_count: { uint32: config.num_hidden_layers },
    context_length: { uint32: config.max_position_embeddings },
    embedding_length: { uint32: config.hidden_size },
    feed_forward_length: { uint32: config.intermediate_size },
    'attention.head_count': { uint32: config.num_attention_heads },
    'attention.head_count_kv': { uint32: config.num_key_value_heads },
    'attention.key_length': { uint32: config.head_dim },
    'attention.value_length': { uint32: config.head_dim },
    'attention.layer_norm_rms_epsilon': { float32: config.rms_norm_eps },
    'rope.freq_base': { float32: config.rope_theta },
  }
  return {
    'general.architecture': { string: 'qwen3' },
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`qwen3.${name}`, value])),
    'tokenizer.ggml.model': { string: 'gpt2' },
    'tokenizer.ggml.pre': { string: 'qwen2' },
    'tokenizer.ggml.tokens': { strings: tokens },
    'tokenizer.ggml.token_type': { int32s: types },
    'tokenizer.ggml.merges': { strings: merges },
    'tokenizer.ggml.eos_token_id': { uint32: end },
  }
}

/** Names of llama.cpp for the matrices of a layer. */
const MATRICES: Readonly<Record<string, string>> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
}

function makeTensors(config: Config, bits: 4 | 8): GgufTensor[] {
  const { hidden_size: hidden, head_dim: head } = config
  const tensors = [matrix('token_embd', [config.vocab_size, hidden], bits), norm('output_norm', hidden)]
  for (let i = 0; i < config.num_hidden_layers; i++) {
    const name = (part: string) => `blk.${i}.${part}`
    for (const [part, shape] of Object.entries(layerMatrices(config))) {
      tensors.push(matrix(name(MATRICES[part] as string), shape, bits))
    }
    for (const part of ['attn_norm', 'ffn_norm']) tensors.push(norm(name(part), hidden))
    for (const part of ['attn_q_norm', 'attn_k_norm']) tensors.push(norm(name(part), head))
  }
  return tensors
}

function norm(name: string, size: number): GgufTensor {
  const data = new Uint8Array(new Float32Array(size).fill(1).buffer)
  return { name: `${name}.weight`, dims: [size], type: F32, data }
}

function matrix(name: string, [rows, width]: readonly [number, number], bits: 4 | 8): GgufTensor {
  const { type, bytes } = FORMATS[bits]
  const data = randomFillSync(new Uint8Array(((rows * width) / BLOCK) * bytes))
  const view = new DataView(data.buffer)
  for (let at = 0; at < data.length; at += bytes) view.setUint16(at, SCALE, true)
  return { name: `${name}.weight`, dims: [width, rows], type, data }
}
