import { expect, it, vi } from 'vitest'
import type { ProductSpeeds } from '../products/measure-products.ts'
import { PRODUCT_FORMATS } from '../products/product-graph.ts'
import { chooseFormat } from './choose-format.ts'

const { signal } = new AbortController()

/** Speeds at which rows are so many times as fast as blocks. */
function speeds(gain: number): ProductSpeeds {
  const gflops = [10, 100, 100 * gain, 10]
  return {
    inputs: 1024,
    outputs: 3072,
    rows: [256],
    speeds: PRODUCT_FORMATS.map((format, i) => ({ format, gflops: [gflops[i]!] })),
  }
}

it.each([{}, { for: 'this-machine' }])('takes what is fast here with %j', async (flags) => {
  const rows = await chooseFormat(flags, signal, async () => speeds(3))
  expect(rows).toMatchObject({ bits: 8, blockSize: 'row', reason: expect.stringContaining('3.0 times') as string })
  const blocks = await chooseFormat(flags, signal, async () => speeds(1.5))
  expect(blocks).toMatchObject({ bits: 8, blockSize: 128, reason: expect.stringContaining('1.5 times') as string })
})

it.each([
  [{ for: 'portable' }, 8, 128],
  [{ bits: '8' }, 8, 128],
  [{ bits: '4', block: '32' }, 4, 32],
  [{ block: 'row' }, 8, 'row'],
])('times nothing where %j names the format', async (flags, bits, blockSize) => {
  const probe = vi.fn<() => Promise<ProductSpeeds>>()
  expect(await chooseFormat(flags, signal, probe)).toEqual({ bits, blockSize })
  expect(probe).not.toHaveBeenCalled()
})

it('says that nothing could be timed, and fails only where that was asked for', async () => {
  const probe = async () => undefined
  const reason = expect.stringContaining('onnxruntime-node does not load') as string
  expect(await chooseFormat({}, signal, probe)).toEqual({ bits: 8, blockSize: 128, reason })
  const run = chooseFormat({ for: 'this-machine' }, signal, probe)
  await expect(run).rejects.toMatchObject({ code: 'invalid_request', path: '--for', message: reason })
})
