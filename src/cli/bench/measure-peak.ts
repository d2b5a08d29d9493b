import type { Backend } from '../../backends/index.ts'
import { GraphBuilder, type Value } from '../../graph/index.ts'
import { matMulNBits } from '../../onnx/ops/matmul.ts'
import { type Summary, summarize } from './statistics.ts'

/** Rows, and width on both sides, of the product that the peak is measured with. */
const ROWS = 1024
const WIDTH = 2560
const GFLOP = (2 * ROWS * WIDTH * WIDTH) / 1e9
const BLOCK = 128

/** GFLOP/s of large matrix products on this machine, through the runtime that also runs the models. */
export interface Peak {
  /** MatMul. */
  readonly float32: Summary
  /** MatMulNBits with int8 weights, accuracy level 4: activations are quantised to int8 in blocks. */
  readonly int8_blocks: Summary
  /** DynamicQuantizeMatMul with signed int8 weights: activations are quantised as a whole. */
  readonly int8_dynamic: Summary
}

/** Takes a second or two; the session of each product is closed before the next. */
export async function measurePeak(backend: Backend, runs: number): Promise<Peak> {
  return {
    float32: await measureProduct(backend, runs, (g, a) => {
      const b = g.initializer('b', 'float32', [WIDTH, WIDTH], new Float32Array(WIDTH * WIDTH).fill(0.01))
      return g.node('MatMul', [a, b])
    }),
    int8_blocks: await measureProduct(backend, runs, (g, a) => {
      const blocks = WIDTH / BLOCK
      const b = g.initializer('b', 'uint8', [WIDTH, blocks, BLOCK], new Uint8Array(WIDTH * WIDTH).fill(131))
      const scales = g.initializer('scales', 'float32', [WIDTH, blocks], new Float32Array(WIDTH * blocks).fill(0.01))
      return matMulNBits(g, a, b, scales, { K: WIDTH, N: WIDTH, bits: 8, blockSize: BLOCK, accuracyLevel: 4 })
    }),
    int8_dynamic: await measureProduct(backend, runs, (g, a) => {
      const b = g.initializer('b', 'int8', [WIDTH, WIDTH], new Int8Array(WIDTH * WIDTH).fill(3))
      const scale = g.initializer('scale', 'float32', [WIDTH], new Float32Array(WIDTH).fill(0.01))
      return g.node('DynamicQuantizeMatMul', [a, b, scale], { domain: 'com.microsoft' })
    }),
  }
}

async function measureProduct(
  backend: Backend,
  runs: number,
  multiply: (g: GraphBuilder, a: Value) => Value,
): Promise<Summary> {
  const g = new GraphBuilder('peak')
  const a = g.input('a', 'float32', [ROWS, WIDTH])
  g.output('product', multiply(g, a), 'float32', [ROWS, WIDTH])
  const session = await backend.createSession(g.build())
  const data = Float32Array.from({ length: ROWS * WIDTH }, (_, index) => (index % 7) - 3)
  const rates: number[] = []
  for (let run = 0; run <= runs; run++) {
    const started = performance.now()
    await session.run({ a: { type: 'float32', dims: [ROWS, WIDTH], data } })
    if (run > 0) rates.push(GFLOP / ((performance.now() - started) / 1000))
  }
  await session.dispose()
  return summarize(rates)
}
