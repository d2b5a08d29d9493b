import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { fixtureFolder, openCheckpoint } from '../../../test/helpers/language-model-fixture.ts'
import { readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { writeOutliers } from '../../../test/helpers/write-outliers.ts'
import { AbortedError, InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import { quantizeWeights } from './quantize-weights.ts'

let work: string

beforeEach(() => void (work = temporaryFolder()))

it('keeps every tensor: matrices as blocks with scales, the others byte for byte', async () => {
  const folder = fixtureFolder('qwen3-gqa4-sharded')
  const out = join(work, 'int8')
  await quantizeWeights({ folder, out, bits: 8, blockSize: 32 })
  const from = await openCheckpoint(folder)
  const to = await openCheckpoint(out)
  expect(to.config.quantization_config).toEqual({ quant_method: 'tessera', bits: 8, block_size: 32 })
  for (const name of from.weights.names) {
    const { shape } = from.weights.get(name)!
    if (shape.length === 2) {
      const blocks = Math.ceil(shape[1]! / 32)
      expect(to.weights.get(name)).toMatchObject({ dtype: 'U8', shape: [shape[0], blocks, 32] })
      expect(to.weights.get(`${name}.scales`)).toMatchObject({ dtype: 'F32', shape: [shape[0], blocks] })
    } else {
      expect(readTensorBytes(to.weights, name)).toEqual(readTensorBytes(from.weights, name))
    }
  }
})

it('stores whole rows as signed bytes with one scale each', async () => {
  const folder = fixtureFolder('qwen3-gqa4-sharded')
  const out = join(work, 'rows')
  await quantizeWeights({ folder, out, bits: 8, blockSize: 'row' })
  const from = await openCheckpoint(folder)
  const to = await openCheckpoint(out)
  const name = 'model.layers.0.mlp.down_proj.weight'
  const { shape } = from.weights.get(name)!
  expect(to.config.quantization_config).toEqual({ quant_method: 'tessera', bits: 8, block_size: 'row' })
  expect(to.weights.get(name)).toMatchObject({ dtype: 'I8', shape })
  expect(to.weights.get(`${name}.scales`)).toMatchObject({ dtype: 'F32', shape: [shape[0]] })
})

it.each([1, 2])('keeps a matrix with a column of outliers in blocks, with %d threads', async (threads) => {
  const folder = join(work, 'outliers')
  await cp(fixtureFolder('qwen3-mha-tied'), folder, { recursive: true })
  const name = 'model.layers.1.mlp.up_proj.weight'
  await writeOutliers(folder, name, 10)
  const out = join(work, 'rows')
  const seen: number[] = []
  const { rough, smoothed } = await quantizeWeights({
    folder,
    out,
    bits: 8,
    blockSize: 'row',
    threads,
    onProgress: ({ done, total }) => seen.push(done / total),
  })
  expect(rough).toEqual([{ name, error: expect.any(Number) as number }])
  expect(rough[0]!.error).toBeGreaterThan(0.0125)
  expect(smoothed).toEqual([])
  const { config, weights } = await openCheckpoint(out)
  expect(config.quantization_config).toEqual({
    quant_method: 'tessera',
    bits: 8,
    block_size: 'row',
    tensors: { [name]: { bits: 8, block_size: 128 } },
  })
  expect(weights.get(name)).toMatchObject({ dtype: 'U8' })
  const others = weights.names.filter((one) => one !== name && weights.get(`${one}.scales`) !== undefined)
  expect(others).toContain('model.layers.0.mlp.up_proj.weight')
  for (const other of others) expect(weights.get(other)).toMatchObject({ dtype: 'I8' })
  // In blocks it is what quantising to blocks makes of it, to the byte.
  const blocks = join(work, 'blocks')
  expect(await quantizeWeights({ folder, out: blocks, bits: 8, blockSize: 128 })).toEqual({ rough: [], smoothed: [] })
  expect(readTensorBytes(weights, name)).toEqual(readTensorBytes((await openCheckpoint(blocks)).weights, name))
  expect(seen.at(-1)).toBe(1)
  expect(seen).toEqual(seen.toSorted((a, b) => a - b))
})

it('writes the texts of an adapter, and those that only its base has', async () => {
  const [base, folder] = [join(work, 'base'), join(work, 'adapter')]
  await cp(fixtureFolder('qwen3-gqa2-untied'), base, { recursive: true })
  for (const name of ['tokenizer.json', 'chat_template.jinja', 'tessera.json'])
    await writeFile(join(base, name), 'base')
  await cp(fixtureFolder('lora/plain'), folder, { recursive: true })
  const config = JSON.parse(await readFile(join(folder, 'adapter_config.json'), 'utf8')) as object
  const described = { ...config, base_model_name_or_path: '../base' }
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify(described))
  await writeFile(join(folder, 'tokenizer.json'), 'adapter')
  const out = join(work, 'int8')
  await quantizeWeights({ folder, out, bits: 8, blockSize: 32 })
  const read = async (name: string) => readFile(join(out, name), 'utf8')
  expect(await read('tokenizer.json')).toBe('adapter')
  expect(await Promise.all(['chat_template.jinja', 'tessera.json'].map(read))).toEqual(['base', 'base'])
  expect(await readdir(out)).not.toContain('adapter_config.json')
})

it('has no rows of 4 bits', async () => {
  const folder = fixtureFolder('qwen3-gqa4-sharded')
  const run = quantizeWeights({ folder, out: join(work, 'out'), bits: 4, blockSize: 'row' })
  await expect(run).rejects.toThrow('expected 8 bits with block_size')
  expect(await readdir(work)).toEqual([])
})

it('reports bytes up to the size of the checkpoint', async () => {
  const seen: number[] = []
  await quantizeWeights({
    folder: fixtureFolder('qwen3-bf16'),
    out: join(work, 'out'),
    bits: 4,
    blockSize: 16,
    onProgress: ({ done, total }) => seen.push(done / total),
  })
  expect(seen.at(-1)).toBe(1)
  expect(seen).toEqual([...seen].sort((a, b) => a - b))
})

it('leaves nothing behind when it is aborted half way', async () => {
  const abort = new AbortController()
  const run = quantizeWeights({
    folder: fixtureFolder('qwen3-mha-tied'),
    out: join(work, 'out'),
    bits: 8,
    blockSize: 32,
    signal: abort.signal,
    onProgress: () => abort.abort(),
  })
  await expect(run).rejects.toBeInstanceOf(AbortedError)
  expect(await readdir(work)).toEqual([])
})

/** A checkpoint with a matrix of 40 MB, which is read in three slices, between others. */
async function writeLargeMatrix(): Promise<string> {
  const folder = join(work, 'large')
  await cp(fixtureFolder('qwen3-mha-tied'), folder, { recursive: true })
  await rm(join(folder, 'model.safetensors'))
  const shapes: Record<string, number[]> = {
    'model.embed_tokens.weight': [80_000, 125],
    'model.norm.weight': [125],
    'model.layers.0.mlp.up_proj.weight': [3, 125],
    'model.layers.0.mlp.down_proj.weight': [50, 70],
  }
  const plans = Object.entries(shapes).map(([name, shape]) => ({ name, dtype: 'F32' as const, shape }))
  const writer = await SafetensorsWriter.create(join(folder, 'model.safetensors'), plans, {})
  for (const { name, shape } of plans) {
    const length = shape.reduce((product, dim) => product * dim, 1)
    await writer.append(
      name,
      Float32Array.from({ length }, (_, i) => Math.sin(i * 12.9898) * (1 + (i % 91))),
    )
  }
  await writer.close()
  return folder
}

it.each([
  [4, 32],
  [8, 128],
  [8, 'row'],
] as const)('writes the same file with one thread and with several, %d bits in %s', async (bits, blockSize) => {
  const folder = await writeLargeMatrix()
  const files = [1, 2, 3].map((threads) => ({ threads, out: join(work, `threads-${threads}`) }))
  for (const { threads, out } of files) await quantizeWeights({ folder, out, bits, blockSize, threads })
  const [one, ...others] = await Promise.all(files.map(({ out }) => readFile(join(out, 'model.safetensors'))))
  for (const other of others) expect(other.equals(one!)).toBe(true)
})

it('stops its threads at once when it is aborted, and leaves nothing behind', async () => {
  const folder = await writeLargeMatrix()
  const abort = new AbortController()
  const run = quantizeWeights({
    folder,
    out: join(work, 'out'),
    bits: 4,
    blockSize: 32,
    threads: 2,
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('enough')),
  })
  await expect(run).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } })
  expect(await readdir(work)).toEqual(['large'])
  expect(process.getActiveResourcesInfo().filter((name) => name === 'MessagePort')).toEqual([])
})

it('names a weight that is not finite from another thread too', async () => {
  const folder = join(work, 'damaged')
  await cp(fixtureFolder('qwen3-mha-tied'), folder, { recursive: true })
  const { weights } = await openCheckpoint(folder)
  const file = join(folder, 'model.safetensors')
  const bytes = await readFile(file)
  bytes.writeFloatLE(Infinity, weights.get('model.layers.0.mlp.up_proj.weight')!.offset)
  await writeFile(file, bytes)
  const run = quantizeWeights({ folder, out: join(work, 'out'), bits: 8, blockSize: 32, threads: 2 })
  await expect(run).rejects.toThrow('finite values in model.layers.0.mlp.up_proj.weight')
  expect(await readdir(work)).toEqual(['damaged'])
})

it('refuses to replace a folder', async () => {
  const run = quantizeWeights({ folder: fixtureFolder('qwen3-mha-tied'), out: work, bits: 8, blockSize: 32 })
  await expect(run).rejects.toBeInstanceOf(InvalidRequestError)
})

it('refuses a checkpoint that is quantised already', async () => {
  const out = join(work, 'once')
  await quantizeWeights({ folder: fixtureFolder('qwen3-mha-tied'), out, bits: 8, blockSize: 32 })
  const again = quantizeWeights({ folder: out, out: join(work, 'twice'), bits: 8, blockSize: 32 })
  await expect(again).rejects.toBeInstanceOf(ModelFormatError)
})

it.each([
  ['a matrix', 'model.layers.1.mlp.up_proj.weight', 400],
  ['a norm', 'model.layers.1.input_layernorm.weight', 8],
])('refuses weights of %s that are not finite, naming the tensor', async (_, name, place) => {
  const folder = join(work, 'damaged')
  await cp(fixtureFolder('qwen3-mha-tied'), folder, { recursive: true })
  const { weights } = await openCheckpoint(folder)
  const file = join(folder, 'model.safetensors')
  const bytes = await readFile(file)
  bytes.writeFloatLE(Number.NaN, weights.get(name)!.offset + place)
  await writeFile(file, bytes)
  const run = quantizeWeights({ folder, out: join(work, 'out'), bits: 8, blockSize: 32 })
  await expect(run).rejects.toThrow(`finite values in ${name}`)
  expect(await readdir(work)).toEqual(['damaged'])
})

it.each([
  ['no JSON', '{'],
  ['no object', 'null'],
])('says which file is damaged where config.json is %s', async (_, text) => {
  const folder = join(work, 'broken')
  await cp(fixtureFolder('qwen3-bf16'), folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), text)
  await expect(quantizeWeights({ folder, out: join(work, 'out'), bits: 8, blockSize: 32 })).rejects.toThrow(
    ModelFormatError,
  )
  expect(await readdir(work)).toEqual(['broken'])
})
