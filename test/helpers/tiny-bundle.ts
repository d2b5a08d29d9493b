import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const STRUCTURE = ['<|im_start|>', '<|im_end|>', '<think>', '</think>']
const MERGES = ['y e', 'ye s', 'n o']

/** The printable stand-ins of the 256 bytes in byte-level BPE (GPT-2's table). */
function byteAlphabet(): string[] {
  let extra = 0
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    return String.fromCodePoint(printable ? byte : 256 + extra++)
  })
}

function tokenizerFile(more: readonly string[]) {
  const merges = [...MERGES, ...more]
  const vocabulary = [...byteAlphabet(), ...merges.map((merge) => merge.replace(' ', ''))]
  return {
    version: '1.0',
    added_tokens: STRUCTURE.map((content, index) => ({
      id: vocabulary.length + index,
      content,
      special: true,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
    })),
    normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])), merges },
  }
}

const CONFIG = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  hidden_act: 'silu',
  attention_bias: false,
  tie_word_embeddings: true,
  vocab_size: 256 + MERGES.length + STRUCTURE.length,
  hidden_size: 32,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  intermediate_size: 48,
  rms_norm_eps: 1e-6,
  rope_theta: 10000,
  max_position_embeddings: 4096,
}

function weightShapes(count: number, vocabulary: number): [string, number[]][] {
  const { hidden_size: h, head_dim: d, num_attention_heads: q, num_key_value_heads: kv, intermediate_size: f } = CONFIG
  const layer: [string, number[]][] = [
    ['input_layernorm', [h]],
    ['self_attn.q_proj', [q * d, h]],
    ['self_attn.k_proj', [kv * d, h]],
    ['self_attn.v_proj', [kv * d, h]],
    ['self_attn.o_proj', [h, q * d]],
    ['self_attn.q_norm', [d]],
    ['self_attn.k_norm', [d]],
    ['post_attention_layernorm', [h]],
    ['mlp.gate_proj', [f, h]],
    ['mlp.up_proj', [f, h]],
    ['mlp.down_proj', [h, f]],
  ]
  const layers = Array.from({ length: count }, (_, index) =>
    layer.map(([name, shape]): [string, number[]] => [`model.layers.${index}.${name}.weight`, shape]),
  )
  return [['model.embed_tokens.weight', [vocabulary, h]], ...layers.flat(), ['model.norm.weight', [h]]]
}

/** Deterministic values in [-1, 1): mulberry32. */
function randomSource(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}

function safetensors(seed: number, layers: number, vocabulary: number): Uint8Array {
  const random = randomSource(seed)
  let offset = 0
  const header: Record<string, unknown> = {}
  const parts = weightShapes(layers, vocabulary).map(([name, shape]) => {
    const size = shape.reduce((product, dim) => product * dim, 1)
    const scale = shape.length === 1 ? 0.2 : 2 * (shape[1] as number) ** -0.5
    const values = Float32Array.from({ length: size }, () => random() * scale + (shape.length === 1 ? 1 : 0))
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + values.byteLength] }
    offset += values.byteLength
    return Buffer.from(values.buffer)
  })
  const json = Buffer.from(JSON.stringify(header))
  const padded = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(padded.length))
  return Buffer.concat([length, padded, ...parts])
}

export interface TinyBundle {
  /** Empty for a plain checkpoint without a manifest. Default: `TINY_MANIFEST`. */
  manifest?: Record<string, unknown>
  config?: Record<string, unknown>
  seed?: number
  /** Rules of the tokenizer beside those of `yes` and `no`, such as `A B`. */
  merges?: readonly string[]
}

export const TINY_MANIFEST = {
  name: 'tiny',
  version: '1.0.0',
  template: 'chat-1',
  readout: 'symbols',
  window: { tokens: 2000, overlap: 32, sharpness: 4 },
}

/** Writes a random Qwen3-shaped model with a byte-level tokenizer to a new folder: the real formats, a few kilobytes. */
export async function writeTinyBundle({
  manifest = TINY_MANIFEST,
  config = {},
  seed = 1,
  merges = [],
}: TinyBundle = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-tiny-'))
  const vocabulary = CONFIG.vocab_size + merges.length
  await writeFile(join(folder, 'config.json'), JSON.stringify({ ...CONFIG, vocab_size: vocabulary, ...config }))
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizerFile(merges)))
  await writeFile(
    join(folder, 'model.safetensors'),
    safetensors(seed, Number(config['num_hidden_layers'] ?? CONFIG.num_hidden_layers), vocabulary),
  )
  if (Object.keys(manifest).length > 0) await writeFile(join(folder, 'tessera.json'), JSON.stringify(manifest))
  return folder
}
