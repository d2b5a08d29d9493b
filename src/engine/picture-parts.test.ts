import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import {
  asFloats,
  type PlainTensors,
  type SingleFileBundle,
  type SingleFilePart,
  toDiffusers,
  toSingleFile,
  writeTensors,
} from '../../test/helpers/single-files.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { type GgufSource, roundToBlocks, writeGguf } from '../../test/helpers/write-gguf.ts'
import { describeCheckpoint } from '../models/describe-checkpoint.ts'
import { openModel, quantizeCheckpoint, readSafetensors } from '../models/index.ts'
import { decodeFloats } from '../models/weights/decode-floats.ts'
import { indexWeights } from '../models/weights/index-weights.ts'
import { createEngine } from './index.ts'
import { predictMemory } from './memory/predict-memory.ts'

let work: string
let bundle: ImageBundle
beforeEach(() => {
  work = temporaryFolder()
  process.env['TESSERA_CACHE'] = join(work, 'cache')
})
afterEach(async () => {
  delete process.env['TESSERA_CACHE']
  await bundle.remove()
})

/** Blocks of a scale that half precision has, of all matrices whose rows are whole blocks. */
function toBlocks(tensors: PlainTensors): { stored: Map<string, GgufSource>; rounded: PlainTensors } {
  const stored = Array.from(tensors, ([name, { shape, values }]) => {
    const type = shape.length === 2 && shape[1]! % 32 === 0 && shape[0]! > 1 ? 'Q8_0' : 'F32'
    return [name, { shape, values, type }] as const
  })
  const rounded = stored.map(
    ([name, { shape, values, type }]) => [name, { shape, values: roundToBlocks(values, type) }] as const,
  )
  return { stored: new Map(stored), rounded: new Map(rounded) }
}

const TEXT_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(?:model\.)?embed_tokens/, 'token_embd'],
  [/^(?:model\.)?norm/, 'output_norm'],
  [/^(?:model\.)?layers\./, 'blk.'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/self_attn\.([qk])_norm/, 'attn_$1_norm'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
  [/input_layernorm/, 'attn_norm'],
  [/post_attention_layernorm/, 'ffn_norm'],
]

/** Writes the text encoder of the bundle as GGUF in float32. */
async function writeTextEncoder(path: string): Promise<void> {
  const folder = join(bundle.folder, 'text_encoder')
  const weights = await readSafetensors(folder)
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as Record<string, number>
  const tensors = weights.names.map((name) => {
    const { shape, dtype } = weights.get(name)!
    const renamed = TEXT_NAMES.reduce((before, [pattern, after]) => before.replace(pattern, after), name)
    const values = decodeFloats(new Uint8Array(readTensorBytes(weights, name)), dtype)
    return [renamed, { shape, values, type: 'F32' }] as const
  })
  const metadata = {
    'general.architecture': 'qwen3',
    'qwen3.block_count': config['num_hidden_layers']!,
    'qwen3.context_length': config['max_position_embeddings']!,
    'qwen3.embedding_length': config['hidden_size']!,
    'qwen3.feed_forward_length': config['intermediate_size']!,
    'qwen3.attention.head_count': config['num_attention_heads']!,
    'qwen3.attention.head_count_kv': config['num_key_value_heads']!,
    'qwen3.attention.key_length': config['head_dim']!,
    'qwen3.attention.value_length': config['head_dim']!,
    'qwen3.attention.layer_norm_rms_epsilon': config['rms_norm_eps']!,
    'qwen3.rope.freq_base': 1e6,
  }
  await writeGguf(path, metadata, new Map(tensors))
}

/** The bundle as files of three formats beside it, and the bundle itself with the numbers that they stand for. */
async function writeBoth(name: SingleFileBundle): Promise<string> {
  bundle = await materializeBundle(name)
  const read = async (part: SingleFilePart) =>
    toSingleFile(name, part, await readSafetensors(join(bundle.folder, part)))
  const { stored, rounded } = toBlocks(await read('transformer'))
  const transformer = join(bundle.folder, 'transformer/diffusion_pytorch_model.safetensors')
  await rm(transformer)
  await writeTensors(transformer, asFloats(toDiffusers(name, 'transformer', rounded)))
  await writeGguf(join(work, 'transformer.gguf'), {}, stored)
  await writeTensors(join(work, 'vae.safetensors'), asFloats(await read('vae')))
  await writeTextEncoder(join(work, 'text.gguf'))
  const manifest = JSON.parse(await readFile(join(bundle.folder, 'tessera.json'), 'utf8').catch(() => '{}')) as object
  const parts = { transformer: '../transformer.gguf', text_encoder: '../text.gguf', vae: '../vae.safetensors' }
  await mkdir(join(work, 'mine'))
  await writeFile(join(work, 'mine/tessera.json'), JSON.stringify({ ...manifest, base: bundle.folder, parts }))
  return join(work, 'mine')
}

async function draw(model: string): Promise<Buffer> {
  await using engine = await createEngine({ backend: 'cpu', threads: 1, models: { 'alpha-image-turbo': model } })
  const { data } = await engine.generateImage({ prompt: 'a red apple', size: '64x64', seed: 3 }, { steps: 2 })
  return Buffer.from(data[0].b64_json, 'base64')
}

/** Bytes of tensors, by part. */
async function weighParts(folder: string): Promise<number[]> {
  const parts = ['transformer', 'text_encoder', 'vae'].map((part) => openModel(folder).within(part))
  const indexes = await Promise.all(parts.map(indexWeights))
  return indexes.map(({ names, get }) => names.reduce((sum, name) => sum + get(name)!.length, 0))
}

const cached = async () =>
  (await readdir(join(work, 'cache'), { recursive: true })).filter((name) => name.endsWith('tensors'))

it.each(['z-image-turbo', 'klein-distilled'] as const)(
  '%s from GGUF and one file of an autoencoder draws as its numbers in safetensors do, quantised too',
  async (name) => {
    const mine = await writeBoth(name)
    const [float, blocks] = [await draw(bundle.folder), await draw(mine)]
    // Products of blocks round activations to 8 bits.
    expect(await meanDifference(float, blocks)).toBeLessThan(3)
    expect(await cached()).toHaveLength(3)
    const described = await describeCheckpoint(openModel(mine))
    expect(described).toMatchObject({ kind: 'images', weights: expect.stringContaining('int8 in blocks of 32') })
    expect(described.bytes).toBe((await weighParts(mine)).reduce((sum, bytes) => sum + bytes, 0))
    // Small matrices in blocks are expanded, with steps of that.
    const { open } = await predictMemory(openModel(mine))
    expect(open).toBeGreaterThan((await predictMemory(openModel(bundle.folder))).open)
    const [plain, taken] = [join(work, 'plain-8'), join(work, 'mine-8')]
    await quantizeCheckpoint({ folder: bundle.folder, out: plain, bits: 8, blockSize: 32 })
    await quantizeCheckpoint({ folder: mine, out: taken, bits: 8, blockSize: 32 })
    expect((await draw(taken)).equals(await draw(plain))).toBe(true)
  },
)

async function meanDifference(a: Buffer, b: Buffer): Promise<number> {
  const { sharpCodec } = await import('../images/picture/sharp-codec.ts')
  const [{ data: left }, { data: right }] = await Promise.all([sharpCodec.decode(a), sharpCodec.decode(b)])
  expect(left.length).toBe(right.length)
  return pictureDifference(left, right).mean
}

it('a transformer alone is refused with what it lacks, in either format', async () => {
  await writeBoth('z-image-turbo')
  await writeTensors(
    join(work, 'z.safetensors'),
    asFloats(toSingleFile('z-image-turbo', 'transformer', await readSafetensors(join(bundle.folder, 'transformer')))),
  )
  for (const file of ['transformer.gguf', 'z.safetensors']) {
    await expect(draw(join(work, file))).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining(`{"base": "Tongyi-MAI/Z-Image-Turbo", "parts": {"transformer": "${file}"}}`),
      got: 'a ZImageTransformer2DModel alone, without text_encoder, vae, tokenizer and scheduler',
    })
  }
  await expect(draw(join(work, 'vae.safetensors'))).rejects.toMatchObject({ code: 'model_format' })
})
