import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { fixtureFolder, openCheckpoint } from '../../../test/helpers/language-model-fixture.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { parseLanguageModelConfig } from '../language-models/families.ts'
import { checkTensors } from '../language-models/tensor-layout.ts'
import { openModel } from '../open-model.ts'
import { quantizeWeights } from '../quantize/quantize-weights.ts'
import { unpackWeights } from '../quantize/unpack-weights.ts'
import { indexWeights } from '../weights/index-weights.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import type { TensorPlan } from '../weights/safetensors-layout.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import { E4M3 } from './decode-fp8.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

const SOURCE = fixtureFolder('llama-llama3')
/** Any byte that is no NaN does as a weight. */
const NUMBERS = Uint8Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => (byte & 0x7f) !== 0x7f)

interface Spelling {
  readonly scale: string
  /** Shape of the scales of a matrix [rows, width]. */
  readonly shape: (rows: number, width: number) => readonly number[]
  readonly quantization: object
  /** Which scale a number has. */
  readonly at: (row: number, column: number, width: number) => number
}

const TENSOR: Spelling = {
  scale: 'weight_scale',
  shape: () => [],
  quantization: { quant_method: 'compressed-tensors', format: 'float-quantized' },
  at: () => 0,
}
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  'one scale a tensor': TENSOR,
  'scale_weight, one number': {
    ...TENSOR,
    scale: 'scale_weight',
    shape: () => [1],
    quantization: { quant_method: 'fp8' },
  },
  'one scale a row': {
    ...TENSOR,
    shape: (rows) => [rows, 1],
    quantization: { quant_method: 'fbgemm_fp8' },
    at: (row) => row,
  },
  'one scale a block, called inverse': {
    scale: 'weight_scale_inv',
    shape: (rows, width) => [Math.ceil(rows / 10), Math.ceil(width / 20)],
    quantization: { quant_method: 'fp8', weight_block_size: [10, 20], activation_scheme: 'dynamic' },
    at: (row, column, width) => Math.floor(row / 10) * Math.ceil(width / 20) + Math.floor(column / 20),
  },
}

/** Writes the fixture with matrices of layers as random FP8. Returns what their numbers are. */
async function writeFp8(spelling: Spelling, change: (plans: TensorPlan[]) => void = () => {}) {
  const { weights } = await openCheckpoint(SOURCE)
  const plans: TensorPlan[] = []
  const data = new Map<string, ArrayBufferView>()
  const expected = new Map<string, Float32Array>()
  for (const name of weights.names) {
    const { shape, dtype } = weights.get(name)!
    const add = (plan: TensorPlan, values: ArrayBufferView) => (plans.push(plan), data.set(plan.name, values))
    if (!name.endsWith('_proj.weight')) {
      const values = readFloats(weights, name)
      expected.set(name, values)
      add({ name, dtype, shape }, values)
      continue
    }
    const [rows, width] = shape as [number, number]
    const bytes = Uint8Array.from({ length: rows * width }, (_, i) => NUMBERS[(i * 37 + rows) % NUMBERS.length]!)
    const scaleShape = spelling.shape(rows, width)
    const count = scaleShape.reduce((product, dim) => product * dim, 1)
    const scales = Float32Array.from({ length: count }, (_, i) => 0.001 * (1 + ((i * 7) % 11) / 3))
    add({ name, dtype: 'F8_E4M3', shape }, bytes)
    add({ name: name.replace(/weight$/, spelling.scale), dtype: 'F32', shape: scaleShape }, scales)
    // Those of keys and values under the names of modelopt, compressed-tensors before and now.
    const unused = [
      name.replace(/weight$/, 'input_scale'),
      ...(/[kv]_proj/.test(name)
        ? ['$1.$2_proj.$2_scale', '$1.$2_proj.output_scale', '$1.$2_scale'].map((spelling) =>
            name.replace(/(self_attn)\.([kv])_proj\.weight$/, spelling),
          )
        : []),
    ]
    for (const scale of unused) add({ name: scale, dtype: 'F32', shape: [] }, Float32Array.of(3))
    const scaleOf = (i: number) => scales[spelling.at(Math.floor(i / width), i % width, width)]!
    expected.set(
      name,
      Float32Array.from(bytes, (byte, i) => E4M3[byte]! * scaleOf(i)),
    )
  }
  change(plans)
  const writer = await SafetensorsWriter.create(join(work, 'model.safetensors'), plans, {})
  for (const { name } of plans) await writer.append(name, data.get(name)!)
  await writer.close()
  const config = JSON.parse(await readFile(join(SOURCE, 'config.json'), 'utf8')) as object
  await writeFile(join(work, 'config.json'), JSON.stringify({ ...config, quantization_config: spelling.quantization }))
  return expected
}

it('bytes of E4M3 stand for the numbers that its authors say', () => {
  const values = { 0: 0, 1: 2 ** -9, 7: 7 * 2 ** -9, 8: 2 ** -6, 0x38: 1, 0x3c: 1.5, 0x7e: 448, 0xb8: -1, 0xfe: -448 }
  for (const [byte, value] of Object.entries(values)) expect(E4M3[Number(byte)]).toBe(value)
  expect([E4M3[0x7f], E4M3[0xff]]).toEqual([Number.NaN, Number.NaN])
  expect(new Set(E4M3.map(Math.abs)).size).toBe(128)
})

describe.each(Object.entries(SPELLINGS))('FP8 with %s', (_, spelling) => {
  it('is the same as its numbers in float32', async () => {
    const expected = await writeFp8(spelling)
    const files = openModel(work)
    const config = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), work)
    checkTensors(config, await indexWeights(files))
    const env = { TESSERA_CACHE: join(work, 'cache') }
    const folder = await unpackWeights((await files.made!())!, work, new AbortController().signal, env)
    const unpacked = await readSafetensors(folder)
    expect(new Set(unpacked.names)).toEqual(new Set(expected.keys()))
    for (const [name, values] of expected) expect(readFloats(unpacked, name)).toEqual(values)
  })
})

it('a configuration in which Python wrote Infinity is read', async () => {
  await writeFp8(TENSOR)
  const file = join(work, 'config.json')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace(/^\{/, '{"time_step_limit": [0, Infinity],'))
  const files = openModel(work)
  expect(JSON.parse((await files.readText('config.json'))!)).not.toHaveProperty('quantization_config')
  expect((await indexWeights(files)).names).not.toContain('model.layers.0.self_attn.q_proj.weight_scale')
})

it('a configuration that changes while it is opened is refused when it is unpacked', async () => {
  await writeFp8(TENSOR)
  const made = (await openModel(work).made!())!
  await writeFile(join(work, 'config.json'), '{}')
  const env = { TESSERA_CACHE: join(work, 'cache') }
  await expect(unpackWeights(made, work, new AbortController().signal, env)).rejects.toMatchObject({
    file: expect.stringMatching(/config\.json$/),
  })
})

it('FP8 becomes 8 bits in blocks by quantize', async () => {
  await writeFp8(TENSOR)
  const out = join(work, 'int8')
  await quantizeWeights({ folder: work, out, bits: 8, blockSize: 32 })
  const { config, weights } = await openCheckpoint(out)
  expect(config.quantization_config).toMatchObject({ bits: 8, block_size: 32 })
  checkTensors(config, weights)
})

describe('refused by name', () => {
  const Q = 'model.layers.0.self_attn.q_proj'
  const read = async () => indexWeights(openModel(work))

  it('a scale that is missing', async () => {
    await writeFp8(TENSOR, (plans) => {
      plans.splice(
        plans.findIndex(({ name }) => name === `${Q}.weight_scale`),
        1,
      )
    })
    await expect(read()).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining(`one scale of ${Q}.weight (F8_E4M3): ${Q}.weight_scale, `),
      got: 'none',
    })
  })

  it('scales of another shape', async () => {
    await writeFp8({ ...TENSOR, shape: () => [3] })
    await expect(read()).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining('weight_scale'),
      got: '[3]',
    })
  })

  it.each(['aqlm', 'hqq', 'bitsandbytes'])('what %s quantised', async (method) => {
    await writeFp8({ ...TENSOR, quantization: { quant_method: method } })
    const files = openModel(work)
    const json = JSON.parse((await files.readText('config.json'))!)
    expect(() => parseLanguageModelConfig(json, work)).toThrow(`weights quantised by ${method}`)
  })

  it('FP8 whose inputs are to be rotated', async () => {
    await writeFp8(TENSOR)
    const config = JSON.parse(await readFile(join(SOURCE, 'config.json'), 'utf8')) as object
    const parse = async (transform_config: object | null) => {
      const quantization_config = { quant_method: 'compressed-tensors', format: 'float-quantized', transform_config }
      await writeFile(join(work, 'config.json'), JSON.stringify({ ...config, quantization_config }))
      return parseLanguageModelConfig(JSON.parse((await openModel(work).readText('config.json'))!), work)
    }
    const rotation = { type: 'hadamard', apply: [{ targets: ['re:.*down_proj$'], location: 'input' }] }
    await expect(parse({ config_groups: { R4: rotation } })).rejects.toThrow(
      'weights quantised by compressed-tensors with transform_config',
    )
    for (const none of [{}, null]) expect((await parse(none)).quantization_config).toBeUndefined()
  })

  it('FP8 that the configuration does not speak of', async () => {
    await writeFp8(TENSOR)
    const config = JSON.parse(await readFile(join(SOURCE, 'config.json'), 'utf8')) as object
    await writeFile(join(work, 'config.json'), JSON.stringify(config))
    const files = openModel(work)
    const parsed = parseLanguageModelConfig(JSON.parse((await files.readText('config.json'))!), work)
    const weights = await indexWeights(files)
    expect(() => checkTensors(parsed, weights)).toThrow('weight_scale')
  })
})
