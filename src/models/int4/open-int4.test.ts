import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { readFloats, readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { type Written, writeTensors } from '../../../test/helpers/single-files.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openModel } from '../open-model.ts'
import { unpackWeights } from '../quantize/unpack-weights.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'

const FIXTURES = fileURLToPath(new URL('../../../test/fixtures/int4/', import.meta.url))
const GPTQ = { quant_method: 'gptq', bits: 4, group_size: 32, sym: true, desc_act: false }
const AWQ = { quant_method: 'awq', bits: 4, group_size: 32, version: 'gemm', zero_point: true }

let work: string
beforeEach(() => void (work = temporaryFolder()))

/** Writes the fixture as the projection of a checkpoint, beside a norm. Returns the numbers of its matrix. */
async function write(
  layout: string,
  quantization_config: object,
  change: (tensors: Written[]) => Written[] = (t) => t,
) {
  const stored = await readSafetensors(join(FIXTURES, `${layout}.safetensors`))
  const tensors = stored.names.flatMap((name): Written[] => {
    const { dtype, shape } = stored.get(name)!
    const data = new Uint8Array(readTensorBytes(stored, name))
    return name === 'expected' ? [] : [{ name: name.replace(/^weight/, 'q_proj'), dtype, shape, data }]
  })
  const norm = { name: 'norm.weight', dtype: 'F32', shape: [3], data: Float32Array.of(1, 2, 3) } as const
  await writeTensors(join(work, 'model.safetensors'), change([...tensors, norm]))
  await writeFile(join(work, 'config.json'), JSON.stringify({ model_type: 'x', quantization_config }))
  return readFloats(stored, 'expected')
}

const unpack = async () => {
  const made = (await openModel(work).made!())!
  return readSafetensors(
    await unpackWeights(made, work, new AbortController().signal, { TESSERA_CACHE: join(work, 'cache') }),
  )
}

/** As `quantizationConfigSchema` says of blocks of four bits. */
function dequantize(weights: WeightIndex, size: number): Float32Array {
  const levels = new Uint8Array(readTensorBytes(weights, 'q_proj.weight'))
  const scales = readFloats(weights, 'q_proj.weight.scales')
  const offsets = weights.get('q_proj.weight.offsets') && readFloats(weights, 'q_proj.weight.offsets')
  return Float32Array.from({ length: 2 * levels.length }, (_, i) => {
    const level = (levels[i >> 1]! >> (4 * (i & 1))) & 15
    const block = Math.floor(i / size)
    return (level - 8) * scales[block]! + (offsets?.[block] ?? 0)
  })
}

it.each([
  ['gptq', GPTQ, false],
  ['gptq-v2', { ...GPTQ, checkpoint_format: 'gptq_v2' }, false],
  ['gptq-v2', { ...GPTQ, format: 'gptq_v2' }, false],
  ['gptq', { ...GPTQ, checkpoint_format: 'gptq', format: 'gptq_v2' }, false],
  ['gptq-zeros', { ...GPTQ, sym: false }, true],
  ['awq', AWQ, true],
] as const)('%s has the numbers that numpy takes from it, in blocks', async (layout, quantization, hasOffsets) => {
  const expected = await write(layout, quantization)
  const config = JSON.parse((await openModel(work).readText('config.json'))!)
  expect(config).toEqual({ model_type: 'x', quantization_config: { quant_method: 'tessera', bits: 4, block_size: 32 } })
  const weights = await unpack()
  expect(weights.get('q_proj.weight')!.shape).toEqual([24, 2, 16])
  expect(weights.names.includes('q_proj.weight.offsets')).toBe(hasOffsets)
  expect(dequantize(weights, 32)).toEqual(expected)
  expect([...readFloats(weights, 'norm.weight')]).toEqual([1, 2, 3])
  expect(weights.names.filter((name) => /qweight|qzeros|g_idx/.test(name))).toEqual([])
})

it('a configuration in which Python wrote Infinity is read', async () => {
  await write('gptq', GPTQ)
  const config = JSON.stringify({ quantization_config: GPTQ, time_step_limit: [0, 1] }).replace(
    '[0,1]',
    '[0, Infinity]',
  )
  await writeFile(join(work, 'config.json'), config)
  expect(JSON.parse((await openModel(work).readText('config.json'))!)).toMatchObject({
    quantization_config: { quant_method: 'tessera' },
  })
})

it('a configuration that changes while it is opened is refused when it is unpacked', async () => {
  await write('gptq', GPTQ)
  const made = (await openModel(work).made!())!
  await writeFile(join(work, 'config.json'), '{}')
  const unpacking = unpackWeights(made, work, new AbortController().signal, { TESSERA_CACHE: join(work, 'cache') })
  await expect(unpacking).rejects.toMatchObject({ file: expect.stringMatching(/config\.json$/) })
})

describe('biases', () => {
  const bias = (stem: string, value: number): Written => {
    const data = Float32Array.from({ length: 24 }, (_, i) => (i === 5 ? value : 0))
    return { name: `${stem}.bias`, dtype: 'F32', shape: [24], data }
  }
  /** The fixture as two modules of each of two layers. */
  const twice = (tensors: Written[]) =>
    ['0.q_proj', '0.o_proj', '1.q_proj', '1.o_proj'].flatMap((stem) =>
      tensors
        .filter(({ name }) => name !== 'norm.weight')
        .map((tensor) => ({ ...tensor, name: tensor.name.replace('q_proj', stem) })),
    )
  const read = async (biases: Written[]) => {
    await rm(join(work, 'model.safetensors'), { force: true })
    await write('gptq', GPTQ, (tensors) => [...twice(tensors), ...biases])
    return (await unpack()).names.filter((name) => name.endsWith('.bias'))
  }

  it('that are zeros in all layers are left out where every matrix has one, as AutoGPTQ makes it', async () => {
    const zeros = [bias('0.o_proj', 0), bias('1.o_proj', 0), bias('0.q_proj', 0)]
    expect(await read([...zeros, bias('1.q_proj', 3)])).toEqual(['0.q_proj.bias', '1.q_proj.bias'])
    expect(await read([...zeros, bias('1.q_proj', 0)])).toEqual([])
  })

  it('of some of the matrices only are those of the model, zeros or not', async () => {
    expect(await read([bias('0.q_proj', 0), bias('1.q_proj', 0)])).toHaveLength(2)
  })
})

describe('refused by name', () => {
  it.each([
    ['bits', { ...GPTQ, bits: 8 }],
    ['desc_act', { ...GPTQ, desc_act: true }],
    ['group_size', { ...GPTQ, group_size: -1 }],
    ['checkpoint_format', { ...GPTQ, checkpoint_format: 'marlin' }],
    ['format', { ...GPTQ, format: 'marlin' }],
    ['dynamic', { ...GPTQ, dynamic: { '-:mlp': {} } }],
    ['version', { ...AWQ, version: 'gemv' }],
  ])('%s that is not read', async (field, quantization) => {
    await write('gptq', quantization)
    await expect(openModel(work).readText('config.json')).rejects.toMatchObject({
      code: 'model_format',
      got: expect.stringContaining(`quantization_config.${field}`),
    })
  })

  const without = (ending: string) => (tensors: Written[]) => tensors.filter(({ name }) => !name.endsWith(ending))
  const turned = (tensors: Written[]) =>
    tensors.map((tensor) => (tensor.name.endsWith('g_idx') ? { ...tensor, data: new Int32Array(64) } : tensor))

  it.each<[string, string, (tensors: Written[]) => Written[], object, string]>([
    ['scales that are missing', 'gptq', without('.scales'), GPTQ, 'a tensor q_proj.scales'],
    ['zero points that are missing', 'awq', without('.qzeros'), AWQ, 'a tensor q_proj.qzeros'],
    ['groups of another size', 'gptq', (t) => t, { ...GPTQ, group_size: 64 }, 'q_proj.qzeros as [1,3] of I32'],
    ['inputs in another order', 'gptq', turned, GPTQ, 'in their own order, in q_proj.g_idx'],
    ['zero points that are not 8', 'gptq-zeros', (t) => t, GPTQ, 'the zero point 8 everywhere in q_proj.qzeros (sym)'],
  ])('%s', async (_, layout, change, quantization, expected) => {
    await write(layout, quantization, change)
    await expect(unpack()).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining(expected),
    })
  })
})
