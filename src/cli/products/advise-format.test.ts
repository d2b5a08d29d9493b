import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { adviseFormat } from './advise-format.ts'
import { describeProducts, formatProducts } from './format-products.ts'
import type { ProductSpeeds } from './measure-products.ts'
import { PRODUCT_FORMATS } from './product-graph.ts'

function speeds(...gflops: number[][]): ProductSpeeds {
  const measured = PRODUCT_FORMATS.map((format, i) => ({ format, gflops: gflops[i]! }))
  return { inputs: 1024, outputs: 3072, rows: [1, 256], speeds: measured }
}

it('takes rows where they are twice as fast with many rows', () => {
  const advice = adviseFormat(speeds([10, 200], [60, 300], [50, 1200], [70, 150]))
  expect(advice.format).toEqual({ bits: 8, block_size: 'row' })
  expect(advice.gain).toBe(4)
  expect(advice.reason).toBe(
    'products with int8 in rows are 4.0 times as fast as with int8 in blocks of 128 here; the copy is less accurate, so measure it on your own texts (npx tessera-onnx eval)',
  )
})

it('takes blocks where rows gain less, and says how much they would', () => {
  const advice = adviseFormat(speeds([10, 100], [60, 200], [500, 380], [70, 150]))
  expect(advice.format).toEqual({ bits: 8, block_size: 128 })
  expect(advice.reason).toContain('1.9 times as fast')
})

it('shows a table and names the fastest', () => {
  const text = stripVTControlCharacters(
    formatProducts(describeProducts(speeds([10, 200], [60, 300], [50, 1200], [70, 150]))),
  )
  expect(text).toContain('rows × 1024 × 3072')
  expect(text).toMatch(/weights +1 row +256 rows\n +float32 +10 +200\n/)
  expect(text).toContain('fastest: int8 in rows for reading, int4 in blocks of 32 for single tokens')
  expect(text).toContain('→ best stored as int8 in rows here: products with int8 in rows are 4.0 times')
})
