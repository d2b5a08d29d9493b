import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { describeProducts } from '../products/format-products.ts'
import { PRODUCT_FORMATS } from '../products/product-graph.ts'
import type { Benchmark } from './benchmark.ts'
import { formatBenchmark } from './format-benchmark.ts'

const environment = {
  tessera: '0.1.0',
  node: 'v22.0.0',
  platform: 'linux x64',
  cpu: 'Some CPU',
  processors: 2,
  threads: 2,
  load: 0.1,
}
const summary = { median: 12.34, min: 10, max: 20_000, runs: 3 }

function format(benchmark: Benchmark): string {
  return stripVTControlCharacters(formatBenchmark(benchmark))
}

test('shows what the machine can do, and a line for every backend', () => {
  const text = format({
    environment,
    limits: { float32_gflops: 210.4, int8_gflops: 400.1, memory_gbs: 21.26 },
    backends: [{ backend: 'cpu', startup_ms: 1234.5, decide: summary, memory_mib: 99.6, deviation: 0 }],
  })
  expect(text).toContain('210 GFLOP/s in float32, 400 in int8 · memory 21.3 GB/s')
  expect(text).toMatch(/cpu +1235 ms +12\.3 ms \(10\.0 ms–20\.0 s\) +– +100 MiB +0\.0e\+0/)
})

test('shows what products cost in each format', () => {
  const speeds = PRODUCT_FORMATS.map((format, i) => ({ format, gflops: [100 * (i + 1)] }))
  const products = describeProducts({ inputs: 8, outputs: 4, rows: [256], speeds })
  expect(format({ environment, products, backends: [] })).toMatch(/int8 in rows +300\n/)
})

test('says why a backend has no figures', () => {
  const text = format({ environment, backends: [{ backend: 'webgpu', reason: 'not done after 30 s' }] })
  expect(text).toMatch(/webgpu +– +– +– +– +–\n +not done after 30 s/)
  expect(text).not.toContain('GFLOP/s')
})

test('warns where other programs are running', () => {
  expect(format({ environment, backends: [] })).not.toContain('figures will vary')
  expect(format({ environment: { ...environment, load: 3.2 }, backends: [] })).toContain('load 3.2')
})
