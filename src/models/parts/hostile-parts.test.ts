import { mkdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { writeGguf } from '../../../test/helpers/write-gguf.ts'
import { ModelFormatError, TesseraError } from '../../errors/index.ts'
import { openModel } from '../open-model.ts'

let folder: string
const part = (name: string) => join(folder, 'transformer', name)
beforeEach(async () => {
  folder = temporaryFolder()
  await mkdir(join(folder, 'transformer'))
  await writeFile(part('config.json'), JSON.stringify({ _class_name: 'ZImageTransformer2DModel' }))
})

const LAYER = 'layers.0.attention.qkv'
const entry = (dtype: string, shape: number[], start: number, end: number) => ({
  dtype,
  shape,
  data_offsets: [start, end],
})
const MARK = '{"format":"float8_e4m3fn"}'
/** A matrix in FP8, its scale, what says so, and a matrix in float32. */
const HEADER = {
  __metadata__: { _quantization_metadata: JSON.stringify({ layers: { [LAYER]: { format: 'float8_e4m3fn' } } }) },
  [`${LAYER}.weight`]: entry('F8_E4M3', [6, 4], 0, 24),
  [`${LAYER}.weight_scale`]: entry('F32', [], 24, 28),
  [`${LAYER}.comfy_quant`]: entry('U8', [MARK.length], 28, 28 + MARK.length),
  'x_embedder.weight': entry('F32', [2, 4], 28 + MARK.length, 60 + MARK.length),
}
const DATA = Buffer.concat([
  Buffer.alloc(24, 0x38),
  Buffer.from(Float32Array.of(2).buffer),
  Buffer.from(MARK),
  Buffer.alloc(32),
])

function file(header: unknown, data: Uint8Array = DATA): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  return Buffer.concat([length, json, data])
}

/** Reads all that the part has. */
async function readAll(): Promise<Uint8Array | undefined> {
  const files = openModel(folder).within('transformer')
  await files.readText('config.json')
  const weights = await files.findWeights('model.safetensors')
  return weights?.read(0, weights.size)
}

async function expectRefused(message: RegExp): Promise<void> {
  // Time of the processor, as machines that run tests do other things too.
  const [started, before] = [process.cpuUsage(), process.memoryUsage().rss]
  const error = await readAll().catch((thrown: unknown) => thrown)
  const { user, system } = process.cpuUsage(started)
  expect(error).toBeInstanceOf(ModelFormatError)
  expect((error as Error).message).toMatch(message)
  expect((error as Error).message.length).toBeLessThan(2000)
  expect(user + system).toBeLessThan(1e6)
  expect(process.memoryUsage().rss - before).toBeLessThan(512e6)
}

it('what the others change is read as it is', async () => {
  await writeFile(part('x.safetensors'), file(HEADER))
  expect(Buffer.from((await readAll())!).includes(Buffer.from(new Float32Array(8).fill(2).buffer))).toBe(true)
})

const many = (count: number, name: (i: number) => string, made: (i: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), made(i)]))
const listed = (count: number) => {
  const layers = many(
    count,
    (i) => `l${i}`,
    () => ({ format: 'float8_e4m3fn' }),
  )
  return { ...HEADER, __metadata__: { _quantization_metadata: JSON.stringify({ layers }) } }
}
const doubled = JSON.stringify(HEADER).replace('"x_embedder.weight"', `"${LAYER}.weight"`)

describe('one file that lies is refused within a second', () => {
  it.each<[string, unknown, RegExp]>([
    ['an overlap', { ...HEADER, other: entry('F32', [1], 0, 4) }, /after other|other after/],
    ['bytes of no tensor', { 'x_embedder.weight': entry('F32', [2, 4], 0, 32) }, /all of the 86 bytes of data/],
    ['a name twice', doubled, /all of the 86 bytes of data|one scale/],
    [
      '100,000 tensors',
      many(
        1e5,
        (i) => `t${i}`,
        () => entry('F32', [0], 0, 0),
      ),
      /at most 65536 tensors/,
    ],
    [
      '5,000 marks',
      many(
        5000,
        (i) => `l${i}.comfy_quant`,
        () => entry('U8', [0], 0, 0),
      ),
      /at most 4096 layers in \.comfy_quant/,
    ],
    ['metadata that is no JSON', { ...HEADER, __metadata__: { _quantization_metadata: '{' } }, /format of each layer/],
    ['metadata of 200,000 layers', listed(2e5), /at most 1048576 characters in _quantization_metadata/],
    ['metadata of 5,000 layers', listed(5000), /at most 4096 layers in _quantization_metadata/],
    [
      'a layer whose name is long',
      {
        ...HEADER,
        __metadata__: {
          _quantization_metadata: JSON.stringify({ layers: { ['x'.repeat(1e6)]: { format: 'nvfp4' } } }),
        },
      },
      /nvfp4/,
    ],
    [
      'a scale of another shape',
      {
        ...HEADER,
        [`${LAYER}.weight_scale`]: entry('F32', [1, 1, 1, 1, 1], 24, 28),
        'x_embedder.weight': entry('F32', [8], 54, 86),
        [`${LAYER}.weight`]: entry('F8_E4M3', [24], 0, 24),
      },
      /as a matrix/,
    ],
    [
      'a fused matrix of rows that are no thirds',
      { ...HEADER, [`${LAYER}.weight`]: entry('F8_E4M3', [4, 6], 0, 24) },
      /3 equal pieces of rows/,
    ],
  ])('%s', async (_, header, message) => {
    await writeFile(part('x.safetensors'), file(header, _ === '5,000 marks' ? new Uint8Array() : DATA))
    await expectRefused(message)
  })

  it('a header of gigabytes, in a file that has them', async () => {
    const path = part('x.safetensors')
    const length = Buffer.alloc(8)
    length.writeBigUInt64LE(2n ** 33n)
    await writeFile(path, length)
    await truncate(path, 2 ** 34)
    await expectRefused(/a safetensors header of at most 33554432 bytes/)
  })

  it('an index of gigabytes, and one whose shards are themselves', async () => {
    const path = part('model.safetensors.index.json')
    await writeFile(path, '{')
    await truncate(path, 2 ** 33)
    await expectRefused(/a text of at most 67108864 bytes/)
    await writeFile(path, JSON.stringify({ weight_map: { a: 'model.safetensors.index.json' } }))
    await expectRefused(/a safetensors header of at most|a safetensors file/)
  })
})

it('any change of a header in FP8 is read or refused, and never anything else', async () => {
  const whole = file(HEADER)
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
  const texts = ['0', '-1', '1e9', '[]', '{}', 'null', '"F8_E4M3"', '[6,4]', '[24]']
  const splice = fc.tuple(fc.nat(whole.length - DATA.length), fc.nat(12), fc.constantFrom(...texts))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 3 }), fc.option(splice), async (changes, spliced) => {
      const bytes = Buffer.from(whole)
      for (const [at, value] of changes) bytes[at] = value
      const json = bytes.subarray(8, bytes.length - DATA.length).toString('latin1')
      const [at, length, text] = spliced ?? [0, 0, '']
      const header = json.slice(0, at) + text + json.slice(at + length)
      await writeFile(part('x.safetensors'), spliced === null ? bytes : file(header))
      await readAll().catch((error: unknown) => expect(error).toBeInstanceOf(ModelFormatError))
    }),
    { numRuns: 150 },
  )
}, 60_000)

it('any change of a GGUF part is read or refused, and never anything else', async () => {
  const tensor = (shape: number[], type: 'F32' | 'Q8_0') => {
    return { shape, values: new Float32Array(shape.reduce((all, dim) => all * dim, 1)).fill(1), type }
  }
  const tensors = new Map([
    [`${LAYER}.weight`, tensor([6, 32], 'Q8_0')],
    ['x_pad_token', tensor([4], 'F32')],
  ])
  await writeGguf(part('x.gguf'), { 'general.architecture': 'lumina2' }, tensors)
  const { readFile } = await import('node:fs/promises')
  const whole = await readFile(part('x.gguf'))
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(whole)
      for (const [at, value] of changes) bytes[at] = value
      await writeFile(part('x.gguf'), bytes)
      await readAll().catch((error: unknown) => expect(error).toBeInstanceOf(ModelFormatError))
    }),
    { numRuns: 150 },
  )
}, 60_000)

it('any tessera.json is read or refused, also one whose base or part is its own folder', async () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('./', '../', '.', '/', './transformer', '\0', './\0'))
  const parts = fc.dictionary(fc.constantFrom('transformer', 'text_encoder', 'vae'), text, { noNullPrototype: true })
  const manifest = fc.record(
    { base: fc.oneof(text, fc.anything()), parts: fc.oneof(parts, fc.anything()) },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(manifest, async (value) => {
      const json = JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : (item as unknown)))
      await writeFile(join(folder, 'tessera.json'), json)
      for (const name of ['model_index.json', 'README.md']) {
        await openModel(folder)
          .readText(name)
          .catch((error: unknown) => expect(error).toBeInstanceOf(TesseraError))
      }
    }),
    { numRuns: 150 },
  )
}, 60_000)
