import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { type Backend } from '../../backends/index.ts'
import { AbortedError } from '../../errors/index.ts'
import { measureProducts } from './measure-products.ts'
import { buildProduct, nameProductFormat, PRODUCT_FORMATS } from './product-graph.ts'

const backend = await cpuBackend()

const shape = { inputs: 256, outputs: 64 }

it('has a speed for every format and number of rows', async () => {
  const products = await measureProducts(backend, { shape, rows: [1, 40], limitMs: 0 })
  expect(products).toMatchObject({ ...shape, rows: [1, 40] })
  expect(products.speeds.map(({ format }) => nameProductFormat(format))).toEqual([
    'float32',
    'int8 in blocks of 128',
    'int8 in rows',
    'int4 in blocks of 32',
  ])
  for (const { gflops } of products.speeds) {
    expect(gflops).toHaveLength(2)
    for (const value of gflops) expect(value > 0 && Number.isFinite(value)).toBe(true)
  }
})

it('times the same product in all formats', async () => {
  const x = { type: 'float32' as const, dims: [1, shape.inputs], data: new Float32Array(shape.inputs) }
  x.data.forEach((_, i) => (x.data[i] = Math.sin(i * i)))
  const results: number[] = []
  for (const format of PRODUCT_FORMATS) {
    const session = await backend.createSession(buildProduct(format, shape))
    const { y } = await session.run({ x })
    expect(y!.dims).toEqual([1, 1])
    results.push(Number(y!.data[0]))
    await session.dispose()
  }
  const [float, blocks, rows, int4] = results as [number, number, number, number]
  // The square root of the sum of squares of both factors is near 6.6 and 9.3.
  expect(Math.abs(blocks - float)).toBeLessThan(0.3)
  expect(Math.abs(rows - float)).toBeLessThan(0.3)
  expect(Math.abs(int4 - float)).toBeLessThan(2)
  expect(new Set(results).size).toBe(4)
})

it('stops when its signal fires, and closes its sessions', async () => {
  const controller = new AbortController()
  let open = 0
  const counting: Backend = {
    ...backend,
    createSession: async (model) => {
      const session = await backend.createSession(model)
      open++
      return {
        ...session,
        run: (feeds) => {
          controller.abort(new Error('enough'))
          return session.run(feeds)
        },
        dispose: async () => {
          open--
          await session.dispose()
        },
      }
    },
  }
  const run = measureProducts(counting, { shape, limitMs: 60_000, signal: controller.signal })
  await expect(run).rejects.toBeInstanceOf(AbortedError)
  await expect(run).rejects.toMatchObject({ cause: { message: 'enough' } })
  expect(open).toBe(0)
})
