import { expect, it } from 'vitest'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { BLOCK_FORMATS } from './block-formats.ts'
import { readGguf } from './gguf-file.ts'
import { GGML_TYPES } from './gguf-types.ts'
import { dequantize, packLevels, packOffsets, packScales } from './read-blocks.ts'
import { folderAround, ggufFixture } from './test-support/fixture.ts'

const NAMES = [...GGML_TYPES.values()].map(({ name }) => name)

async function readTensor(name: string) {
  const { tensors } = await readGguf(...folderAround(ggufFixture('types.gguf')))
  const { type, shape, offset, length, file } = tensors.get(name)!
  const expected = readFloats(await readSafetensors(ggufFixture('types.safetensors')), name)
  return { type, shape, bytes: await file.read(offset, length), expected }
}

it.each(NAMES)('numbers of %s are those of the gguf package, to the last bit', async (name) => {
  const { type, shape, bytes, expected } = await readTensor(name)
  expect(type.name).toBe(name)
  expect(shape).toEqual([3, 512])
  expect(dequantize(bytes, type)).toEqual(expected)
})

it.each(Object.keys(BLOCK_FORMATS))('levels, scales and offsets of %s make the same numbers', async (name) => {
  const { type, bytes, expected } = await readTensor(name)
  const format = BLOCK_FORMATS[name]!
  const packed = packLevels(bytes, type, format)
  const scales = packScales(bytes, type, format)
  const offsets = format.hasOffsets ? packOffsets(bytes, type, format) : new Float32Array(scales.length)
  const largest = Math.max(...expected.map(Math.abs))
  for (const [i, wanted] of expected.entries()) {
    const level = format.bits === 8 ? packed[i]! - 128 : ((packed[i >> 1]! >> (4 * (i & 1))) & 15) - 8
    const group = Math.floor(i / format.group)
    const made = level * scales[group]! + offsets[group]!
    // Offsets of four bits are rounded once more.
    expect(Math.abs(made - wanted)).toBeLessThanOrEqual(2 ** -22 * largest)
  }
})
