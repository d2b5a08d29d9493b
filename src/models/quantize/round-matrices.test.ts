import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../files/model-folder.ts'
import { indexWeights } from '../weights/index-weights.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import { quantizeRows } from './quantize-rows.ts'
import { roundMatrices } from './round-matrices.ts'

const [ROWS, WIDTH, BLOCK] = [3, 256, 128]
/** Two blocks of very different size a row, and a row of zeros. */
const MATRIX = Float32Array.from({ length: ROWS * WIDTH }, (_, i) =>
  i >= 2 * WIDTH ? 0 : Math.sin(7 * i) * (i % WIDTH < BLOCK ? 1 : 0.05),
)
const QUANTIZATION = { bits: 8, block_size: 128, quant_method: 'tessera' } as const

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

async function round(names: readonly string[], quantization?: Parameters<typeof roundMatrices>[2], offsets = false) {
  const { values, scales } = quantizeRows(MATRIX, WIDTH, { bits: 8, blockSize: BLOCK })
  const blocks = WIDTH / BLOCK
  const tensors = names.flatMap((name) => [
    { name, dtype: 'U8' as const, shape: [ROWS, blocks, BLOCK], data: values },
    { name: `${name}.scales`, dtype: 'F32' as const, shape: [ROWS, blocks], data: scales },
    ...(offsets ? [{ name: `${name}.offsets`, dtype: 'F32' as const, shape: [ROWS, blocks], data: scales }] : []),
  ])
  const writer = await SafetensorsWriter.create(join(folder, 'model.safetensors'), tensors, {})
  for (const { name, data } of tensors) await writer.append(name, data)
  await writer.close()
  const files = openFolder(folder)
  return roundMatrices(files, await indexWeights(files), quantization, /^layer\..*\.weight$/)
}

it('rounds rows to the nearest step of their largest weight', async () => {
  const { values, scales } = (await round(['layer.0.weight'], QUANTIZATION)).get('layer.0.weight')!
  expect([values.length, scales.length]).toEqual([ROWS * WIDTH, ROWS])
  for (const [i, weight] of MATRIX.entries()) {
    const scale = scales[Math.floor(i / WIDTH)]!
    // Half a step of the row, and half of one of its block, which the stored weight is away.
    expect(Math.abs(values[i]! * scale - weight)).toBeLessThanOrEqual(scale * 1.001)
  }
  expect(Math.max(...values.subarray(0, WIDTH).map(Math.abs))).toBe(127)
  expect(scales[2]).toBe(0)
})

it.each([
  ['of another name', ['embeddings.weight'], QUANTIZATION, false],
  ['of other bits', ['layer.0.weight'], { ...QUANTIZATION, bits: 4 as const }, false],
  ['with offsets', ['layer.0.weight'], QUANTIZATION, true],
  ['of a checkpoint that says nothing of blocks', ['layer.0.weight'], undefined, false],
])('leaves matrices %s as they are', async (_, names, quantization, offsets) => {
  expect((await round(names, quantization, offsets)).size).toBe(0)
})
