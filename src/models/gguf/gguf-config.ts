import type { LanguageModelFamily } from '../language-models/language-model-config.ts'
import { rotaryFrequencies } from '../language-models/rotary-frequencies.ts'
import type { GgufFile } from './gguf-file.ts'
import { GgufMetadata } from './gguf-metadata.ts'

/** What is read of an architecture's own keys. Any other may change what a model computes and is refused by name. */
const READ = [
  'block_count',
  'context_length',
  'embedding_length',
  'feed_forward_length',
  'vocab_size',
  'attention.head_count',
  'attention.head_count_kv',
  'attention.key_length',
  'attention.value_length',
  'attention.layer_norm_rms_epsilon',
  'attention.sliding_window',
  'rope.dimension_count',
  'rope.freq_base',
  'rope.freq_base_swa',
  'rope.scaling.type',
  'rope.scaling.factor',
  'rope.scaling.original_context_length',
  'rope.scaling.attn_factor',
  // Says that the file's training went on after a change of its context; nothing is computed from it.
  'rope.scaling.finetuned',
]

/**
 * The `config.json` that the metadata of a GGUF language model stands for.
 *
 * @param factors by which rotary frequencies are divided, where the file has a tensor of them
 * @throws ModelFormatError naming a key
 */
export function writeConfig(
  gguf: GgufFile,
  family: LanguageModelFamily,
  factors: Float32Array | undefined,
): Record<string, unknown> {
  const architecture = family.ggufArchitecture
  const read = new GgufMetadata(gguf, `${architecture}.`)
  const unread = read.keys.find((key) => !READ.includes(key))
  if (unread !== undefined) read.refuse(unread, 'no value', 'one, which this library does not compute')
  const heads = read.number('attention.head_count')
  const hidden = read.number('embedding_length')
  const size = read.optionalNumber('attention.key_length') ?? hidden / heads
  for (const key of ['attention.value_length', 'rope.dimension_count']) {
    const value = read.optionalNumber(key)
    if (value !== undefined && value !== size) read.refuse(key, `${size}, the size of a head,`, String(value))
  }
  const rows = gguf.tensors.get('token_embd.weight')?.shape[0]
  const config = {
    architectures: family.architectures.slice(0, 1),
    model_type: family.modelTypes[0],
    hidden_size: hidden,
    num_hidden_layers: read.number('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: read.optionalNumber('attention.head_count_kv') ?? heads,
    head_dim: size,
    intermediate_size: read.number('feed_forward_length'),
    rms_norm_eps: read.number('attention.layer_norm_rms_epsilon'),
    vocab_size: rows ?? read.optionalNumber('vocab_size'),
    max_position_embeddings: read.number('context_length'),
    tie_word_embeddings: !gguf.tensors.has('output.weight'),
  }
  const window = read.optionalNumber('attention.sliding_window')
  if (factors !== undefined && (architecture === 'gemma3' || readScaling(read) !== undefined)) {
    read.refuse('rope_freqs.weight', 'no factors of frequencies beside another scaling', 'some')
  }
  if (architecture === 'gemma3') return { ...config, ...writeGemma3(read, { heads, hidden, size, window }) }
  if (window) read.refuse('attention.sliding_window', 'no window', String(window))
  const local = read.optionalNumber('rope.freq_base_swa')
  if (local !== undefined) read.refuse('rope.freq_base_swa', 'no base of layers with a window', String(local))
  const theta = read.optionalNumber('rope.freq_base') ?? 10_000
  const scaling = readScaling(read) ?? readFactors(read, { factors, size, theta })
  return { ...config, rope_theta: theta, ...(scaling && { rope_scaling: scaling }) }
}

interface Gemma3Sizes {
  readonly heads: number
  readonly hidden: number
  readonly size: number
  readonly window: number | undefined
}

/** Layers of the one Gemma 3 whose queries are scaled by another number than the size of a head: 27B. */
const LAYERS_OF_27B = 62

/** What files of Gemma 3 do not say is the same in all its models. */
function writeGemma3(read: GgufMetadata, { heads, hidden, size, window }: Gemma3Sizes): Record<string, unknown> {
  const scaling = readScaling(read)
  return {
    rope_theta: read.optionalNumber('rope.freq_base') ?? 1e6,
    ...(scaling && { rope_scaling: scaling }),
    rope_local_base_freq: read.optionalNumber('rope.freq_base_swa'),
    sliding_window: window ?? read.refuse('attention.sliding_window', 'a number of tokens', 'none'),
    query_pre_attn_scalar: read.number('block_count') === LAYERS_OF_27B ? hidden / heads : size,
  }
}

function readScaling(read: GgufMetadata): Record<string, unknown> | undefined {
  const factor = read.optionalNumber('rope.scaling.factor')
  // Older files say the factor alone.
  const type = read.optionalText('rope.scaling.type') ?? (factor === undefined ? 'none' : 'linear')
  const attention = read.optionalNumber('rope.scaling.attn_factor') ?? 1
  if (attention !== 1 && type !== 'yarn')
    read.refuse('rope.scaling.attn_factor', '1 but beside yarn', String(attention))
  if (type === 'none') return undefined
  if (type === 'linear' && factor !== undefined) return { rope_type: type, factor }
  if (type !== 'yarn' || factor === undefined) {
    read.refuse('rope.scaling.type', 'none, or linear or yarn with a factor,', type.slice(0, 100))
  }
  const trained = read.optionalNumber('rope.scaling.original_context_length')
  return {
    rope_type: type,
    factor,
    ...(trained !== undefined && { original_max_position_embeddings: trained }),
    // This format's factor is on top of what YaRN has of its own.
    ...(attention !== 1 && { attention_factor: attention * (1 + 0.1 * Math.log(factor)) }),
  }
}

/** Llama 3.1's scaling, as all its models have it but for the factor. */
const LLAMA3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 }
/** Relative, of factors in float32. */
const TOLERANCE = 1e-4

/** Files of Llama 3.1 and on say by what each frequency is divided, in a tensor, and not how that was computed. */
function readFactors(
  read: GgufMetadata,
  {
    factors,
    size,
    theta,
  }: { readonly factors: Float32Array | undefined; readonly size: number; readonly theta: number },
): Record<string, unknown> | undefined {
  if (factors === undefined) return undefined
  const factor = Math.max(...factors)
  const scaling = {
    type: 'llama3',
    factor,
    lowFrequency: LLAMA3.low_freq_factor,
    highFrequency: LLAMA3.high_freq_factor,
    trainedPositions: LLAMA3.original_max_position_embeddings,
  } as const
  const plain = rotaryFrequencies(size, { theta })
  const scaled = rotaryFrequencies(size, { theta, scaling })
  const fits = (value: number, i: number) => Math.abs((value * scaled[i]!) / plain[i]! - 1) <= TOLERANCE
  if (factors.length !== plain.length || !factors.every(fits)) {
    read.refuse('rope_freqs.weight', 'the factors of Llama 3.1', 'others')
  }
  return { rope_type: 'llama3', factor, ...LLAMA3 }
}
