import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { readSafetensors } from './read-safetensors.ts'
import { SafetensorsWriter } from './safetensors-writer.ts'

let work: string

beforeEach(() => void (work = temporaryFolder()))

/** Writes a file with this header and so many bytes of data. */
async function writeSafetensors(header: unknown, dataBytes: number, file = 'model.safetensors'): Promise<void> {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const prefix = Buffer.alloc(8)
  prefix.writeBigUInt64LE(BigInt(json.length))
  await writeFile(join(work, file), Buffer.concat([prefix, json, Buffer.alloc(dataBytes)]))
}

async function writeShardIndex(weight_map: Record<string, string>): Promise<void> {
  await writeFile(join(work, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
}

const f32 = (shape: number[], start: number, end: number) => ({ dtype: 'F32', shape, data_offsets: [start, end] })

it('gives dtype, shape and place of tensors', async () => {
  await writeSafetensors({ __metadata__: { format: 'pt' }, a: f32([2, 3], 0, 24), empty: f32([0], 24, 24) }, 24)
  const weights = await readSafetensors(work)
  const { offset, ...rest } = weights.get('a')!
  expect(rest).toEqual({ dtype: 'F32', shape: [2, 3], file: 'model.safetensors', length: 24 })
  expect(weights.metadata).toEqual({ format: 'pt' })
  expect(weights.names).toEqual(['a', 'empty'])
  expect(weights.get('b')).toBeUndefined()
  expect(offset).toBeGreaterThan(8)
})

it.each([7, 'pt', [['pt']], { format: 7 }, { format: { of: 'pt' } }])('refuses %j as metadata', async (metadata) => {
  await writeSafetensors({ __metadata__: metadata, a: f32([2], 0, 8) }, 8)
  await expect(readSafetensors(work)).rejects.toThrow('expected __metadata__ as names and texts')
})

it('reads back what the writer wrote, every tensor aligned to its elements', async () => {
  const plans = [
    { name: 'bytes', dtype: 'U8', shape: [3] },
    { name: 'floats', dtype: 'F32', shape: [2] },
  ] as const
  const writer = await SafetensorsWriter.create(join(work, 'model.safetensors'), plans, {})
  await writer.append('bytes', Uint8Array.of(1, 2))
  await writer.append('floats', Float32Array.of(1.5, -2))
  await writer.append('bytes', Uint8Array.of(3))
  await writer.close()
  const weights = await readSafetensors(join(work, 'model.safetensors'))
  expect([...readFloats(weights, 'floats')]).toEqual([1.5, -2])
  expect(weights.get('floats')!.offset % 4).toBe(0)
})

it('merges shards through their index', async () => {
  const weights = await readSafetensors(fixtureFolder('qwen3-gqa4-sharded'))
  const files = new Set(weights.names.map((name) => weights.get(name)!.file))
  expect(files.size).toBe(6)
  expect(weights.get('model.embed_tokens.weight')!.shape).toEqual([96, 40])
})

it('follows links to the folder that the files are in, as in a hub cache', async () => {
  const blobs = join(work, 'blobs')
  const snapshot = join(work, 'snapshots', 'abc')
  await mkdir(blobs)
  await mkdir(snapshot, { recursive: true })
  await writeSafetensors({ a: f32([1], 0, 4) }, 4, 'blobs/0123')
  await symlink('../../blobs/0123', join(snapshot, 'model.safetensors'))
  const weights = await readSafetensors(snapshot)
  expect(weights.folder).toBe(await realpath(blobs))
  expect(weights.get('a')!.file).toBe('0123')
})

it.each([
  ['model', 'single'],
  ['diffusion_pytorch_model', 'shard'],
])('takes of %s.safetensors and shards beside it the %s, as its library does', async (stem, wanted) => {
  await writeSafetensors({ single: f32([1], 0, 4) }, 4, `${stem}.safetensors`)
  await writeSafetensors({ shard: f32([1], 0, 4) }, 4, 'part.safetensors')
  const weight_map = { shard: 'part.safetensors' }
  await writeFile(join(work, `${stem}.safetensors.index.json`), JSON.stringify({ weight_map }))
  expect((await readSafetensors(work)).names).toEqual([wanted])
})

it('names the shard that is missing', async () => {
  await writeShardIndex({ a: 'model-00002.safetensors' })
  await expect(readSafetensors(work)).rejects.toThrow(/model-00002\.safetensors: expected .* no such file/)
})

it('names the tensor that a shard lacks', async () => {
  await writeSafetensors({ b: f32([1], 0, 4) }, 4, 'part.safetensors')
  await writeShardIndex({ a: 'part.safetensors' })
  await expect(readSafetensors(work)).rejects.toThrow(/part\.safetensors: expected tensor a/)
})

it.each([
  [['pytorch_model.bin', 'optimizer.pt'], 'pytorch_model.bin, which save_pretrained'],
  [['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'], 'without the index'],
  [['model.fp16.safetensors', 'tf_model.h5'], 'model.fp16.safetensors, which has another name'],
  [['small.gguf'], 'small.gguf, which is given by its own path'],
  [['model.onnx'], 'model.onnx, which is not read'],
  [['training_args.bin'], 'none of them'],
])('names what lies in place of the weights: %o', async (names, said) => {
  for (const name of names) await writeFile(join(work, name), '')
  await expect(readSafetensors(work)).rejects.toThrow(said)
})

it('names a link that leads nowhere', async () => {
  await symlink(join(work, 'gone'), join(work, 'model.safetensors'))
  await expect(readSafetensors(work)).rejects.toThrow('model.safetensors, which is a folder, or a link')
})

it('refuses shards outside the folder', async () => {
  await writeShardIndex({ a: '../x.safetensors' })
  await expect(readSafetensors(work)).rejects.toBeInstanceOf(ModelFormatError)
})

describe('refuses a header', () => {
  it.each([
    ['that is not JSON', '{"a":', 0],
    ['that is a list', [], 0],
    ['with a tensor past the end of the file', { a: f32([2], 0, 8) }, 4],
    ['with overlapping tensors', { a: f32([2], 0, 8), b: f32([2], 4, 12) }, 12],
    ['whose offsets do not fit the shape', { a: f32([2], 0, 4) }, 4],
    ['with an unknown dtype', { a: { ...f32([1], 0, 4), dtype: 'F8_E4M3' } }, 4],
    ['with an inherited name as dtype', { a: { ...f32([1], 0, 4), dtype: 'constructor' } }, 4],
    ['with a negative dimension', { a: f32([-1, -1], 0, 4) }, 4],
    ['with an entry that is no object', { a: null }, 4],
  ])('%s', async (_, header, bytes) => {
    await writeSafetensors(header, bytes)
    await expect(readSafetensors(work)).rejects.toBeInstanceOf(ModelFormatError)
  })

  it.each(['000000', 'ffffffffffffffff7b7d'])('of an impossible length: %s', async (hex) => {
    await writeFile(join(work, 'model.safetensors'), Buffer.from(hex, 'hex'))
    await expect(readSafetensors(work)).rejects.toBeInstanceOf(ModelFormatError)
  })
})
