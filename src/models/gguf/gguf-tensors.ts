import { ModelFormatError } from '../../errors/index.ts'
import type { TensorFormat } from '../configs/quantization-config.ts'
import type { LanguageModelFamily } from '../language-models/language-model-config.ts'
import type { MadeTensor } from '../weights/made-weights.ts'
import type { SafetensorsType } from '../weights/weight-index.ts'
import type { BlockFormat } from './block-format.ts'
import { BLOCK_FORMATS } from './block-formats.ts'
import type { GgufFile } from './gguf-file.ts'
import { GgufMetadata } from './gguf-metadata.ts'
import { packLevels, packOffsets, packScales, dequantize } from './read-blocks.ts'

/** What tensors outside of layers are called here. */
const OUTER: Readonly<Record<string, string>> = {
  token_embd: 'model.embed_tokens',
  output_norm: 'model.norm',
  output: 'lm_head',
}
const LAYER: Readonly<Record<string, string>> = {
  attn_norm: 'input_layernorm',
  attn_q: 'self_attn.q_proj',
  attn_k: 'self_attn.k_proj',
  attn_v: 'self_attn.v_proj',
  attn_output: 'self_attn.o_proj',
  attn_q_norm: 'self_attn.q_norm',
  attn_k_norm: 'self_attn.k_norm',
  ffn_norm: 'post_attention_layernorm',
  ffn_gate: 'mlp.gate_proj',
  ffn_up: 'mlp.up_proj',
  ffn_down: 'mlp.down_proj',
}
const GEMMA_LAYER = {
  ...LAYER,
  post_attention_norm: 'post_attention_layernorm',
  ffn_norm: 'pre_feedforward_layernorm',
  post_ffw_norm: 'post_feedforward_layernorm',
}

/** By what each frequency is divided, which is part of the configuration. */
export const ROPE_FACTORS = 'rope_freqs.weight'

/** Architectures whose queries and keys have the rows of their heads in another order than transformers. */
const PERMUTED = new Set(['llama', 'smollm3'])

/** A tensor as transformers names it, and how its numbers are stored where that is in blocks. */
export interface TranslatedTensor extends MadeTensor {
  readonly blocks?: TensorFormat
}

/** A matrix whose numbers are in blocks keeps them, or becomes numbers in float32. */
export type Matrices = 'blocks' | 'floats'

type Source = GgufFile['tensors'] extends ReadonlyMap<string, infer Tensor> ? Tensor : never

/** How the rows of a tensor are read: raw bytes of `count` rows from `first` on. */
type ReadRows = (first: number, count: number) => Promise<Uint8Array>

/**
 * The tensors of a GGUF language model under the names, and in the order of rows, of transformers.
 *
 * @throws ModelFormatError naming a tensor that has no part in such a model
 */
export function translateTensors(gguf: GgufFile, family: LanguageModelFamily, matrices: Matrices): TranslatedTensor[] {
  const { ggufArchitecture: architecture } = family
  const read = new GgufMetadata(gguf, `${architecture}.attention.`)
  const layerNames = architecture === 'gemma3' ? GEMMA_LAYER : LAYER
  const tensors: TranslatedTensor[] = []
  for (const [stored, source] of gguf.tensors) {
    if (stored === ROPE_FACTORS) continue
    const name = rename(stored, layerNames)
    if (name === undefined) {
      throw new ModelFormatError(gguf.path, `the tensors of a model of general.architecture ${architecture}`, stored)
    }
    const heads = PERMUTED.has(architecture) ? permutedHeads(stored, read) : undefined
    const rows = heads === undefined ? readPlainly(source) : readHeads(source, heads)
    // What these models add to their norms is in the file already.
    const fromOne = architecture === 'gemma3' && stored.endsWith('norm.weight')
    tensors.push(...translate(name, source, rows, { fromOne, matrices }))
  }
  return tensors
}

/** A tensor of any model under a name of its own, as it is. */
export function translateTensor(name: string, source: Source, matrices: Matrices): TranslatedTensor[] {
  return translate(name, source, readPlainly(source), { fromOne: false, matrices })
}

function rename(name: string, layerNames: Readonly<Record<string, string>>): string | undefined {
  const [, layer, stem, kind] = /^(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)$/.exec(name) ?? []
  const renamed = layer === undefined ? OUTER[stem ?? ''] : layerNames[stem ?? '']
  return renamed && (layer === undefined ? `${renamed}.${kind}` : `model.layers.${layer}.${renamed}.${kind}`)
}

/** Heads of a tensor whose rows lie as llama.cpp rotates them in models of Llama: neighbours, not halves of a head. */
function permutedHeads(name: string, read: GgufMetadata): number | undefined {
  if (/\.attn_q\.\w+$/.test(name)) return read.number('head_count')
  if (/\.attn_k\.\w+$/.test(name)) return read.optionalNumber('head_count_kv') ?? read.number('head_count')
  return undefined
}

function rowsOf({ shape, length }: Source) {
  const count = shape.length > 1 ? shape[0]! : 1
  return { count, bytes: length / count }
}

function readPlainly(source: Source): ReadRows {
  const { bytes } = rowsOf(source)
  return (first, count) => source.file.read(source.offset + first * bytes, count * bytes)
}

/** Rows in the order of transformers, of which each head has two halves, from those that take turns. */
function readHeads(source: Source, heads: number): ReadRows {
  const { count: all, bytes } = rowsOf(source)
  const size = all / heads
  const plain = readPlainly(source)
  return async (first, count) => {
    const head = Math.floor(first / size)
    const base = head * size
    const stored = await plain(base, (Math.ceil((first + count) / size) - head) * size)
    const rows = new Uint8Array(count * bytes)
    for (let i = 0; i < count; i++) {
      const row = first + i - base
      const place = row % size
      const from = row - place + (place < size / 2 ? 2 * place : 2 * place - size + 1)
      rows.set(stored.subarray(from * bytes, (from + 1) * bytes), i * bytes)
    }
    return rows
  }
}

interface Translation {
  /** Whether 1 is taken off every number. */
  readonly fromOne: boolean
  readonly matrices: Matrices
}

function translate(
  name: string,
  source: Source,
  rows: ReadRows,
  { fromOne, matrices }: Translation,
): TranslatedTensor[] {
  const { type, shape } = source
  const format = BLOCK_FORMATS[type.name]
  if (format !== undefined && shape.length === 2 && matrices === 'blocks') return keepBlocks(name, source, rows, format)
  if (format === undefined && !fromOne) return [{ name, dtype: type.name as SafetensorsType, shape, read: rows }]
  const read: ReadRows = async (first, count) => {
    const values = dequantize(await rows(first, count), type)
    return bytesOf(fromOne ? values.map((value) => value - 1) : values)
  }
  return [{ name, dtype: 'F32', shape, read }]
}

/** Levels, scales and offsets of blocks, each in a tensor of its own, as `QuantizationConfig` has them. */
function keepBlocks(name: string, { type, shape }: Source, rows: ReadRows, format: BlockFormat): TranslatedTensor[] {
  const [count, width] = shape as [number, number]
  const blocks = width / format.group
  const part = (pack: typeof packLevels | typeof packScales): ReadRows => {
    return async (first, wanted) => bytesOf(pack(await rows(first, wanted), type, format))
  }
  const levels = [count, blocks, (format.group * format.bits) / 8]
  const stored = { bits: format.bits, block_size: format.group }
  const parts: TranslatedTensor[] = [
    { name, dtype: 'U8', shape: levels, read: part(packLevels), blocks: stored },
    { name: `${name}.scales`, dtype: 'F32', shape: [count, blocks], read: part(packScales) },
  ]
  if (!format.hasOffsets) return parts
  return [...parts, { name: `${name}.offsets`, dtype: 'F32', shape: [count, blocks], read: part(packOffsets) }]
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
