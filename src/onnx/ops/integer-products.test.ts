import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { drawFloats } from '../../../test/helpers/pseudo-random.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import { loadOnnxruntimeNode } from '../../backends/onnxruntime-node.ts'
import { createOrtSession } from '../../backends/ort-session.ts'
import { GraphBuilder } from '../graph-builder.ts'
import { add } from './elementwise.ts'
import { matMulInt8 } from './integer-products.ts'

const [ROWS, WIDTH, OUTPUTS] = [5, 70, 33]
const B = Int8Array.from(drawFloats('weights', OUTPUTS * WIDTH, 0, 127.4), Math.round)
const SCALES = drawFloats('scales', OUTPUTS, 0, 0.01)
const A = drawFloats('activations', ROWS * WIDTH, 0, 1).map((value, i) => (i < WIDTH ? 1000 * value : value))

/** Both of two products that share their input. */
function build() {
  const g = new GraphBuilder('int8')
  const a = g.input('a', 'float32', ['rows', WIDTH])
  const products = ['b', 'c'].map((name) =>
    matMulInt8(
      g,
      a,
      g.initializer(name, 'int8', [OUTPUTS, WIDTH], B),
      g.initializer(`${name}.scales`, 'float32', [OUTPUTS], SCALES),
      OUTPUTS,
    ),
  )
  g.output('sum', add(g, products[0]!, products[1]!), 'float32', ['rows', OUTPUTS])
  return g.build()
}

const backend = await cpuBackend()

async function multiply(a: Float32Array): Promise<Float32Array> {
  const { sum } = await runGraph(backend, build(), { a: float32(a, a.length / WIDTH, WIDTH) })
  return sum!.data as Float32Array
}

/** Twice the product of rounded rows, in double precision. */
function expected(row: number, output: number): number {
  const values = A.subarray(row * WIDTH, (row + 1) * WIDTH)
  const step = Math.max(...values.map(Math.abs)) / 127
  return (
    values.reduce((sum, value, i) => sum + Math.round(value / step) * B[output * WIDTH + i]!, 0) *
    step *
    SCALES[output]! *
    2
  )
}

it('rounds every row with its own scale, however large another row is', async () => {
  const product = await multiply(A)
  const largest = (row: number) => Math.max(...product.subarray(row * OUTPUTS, (row + 1) * OUTPUTS).map(Math.abs))
  for (const [i, value] of product.entries()) {
    const row = Math.floor(i / OUTPUTS)
    expect(Math.abs(value - expected(row, i % OUTPUTS)) / largest(row)).toBeLessThan(1e-5)
  }
})

it('gives a row the same alone as among others', async () => {
  const together = await multiply(A)
  for (let row = 0; row < ROWS; row++) {
    const alone = await multiply(A.slice(row * WIDTH, (row + 1) * WIDTH))
    expect(alone).toEqual(together.slice(row * OUTPUTS, (row + 1) * OUTPUTS))
  }
})

it('gives zeros for a row of zeros', async () => {
  expect((await multiply(new Float32Array(WIDTH))).every((value) => value === 0)).toBe(true)
})

it('gives the same with the kernel for processors that overflow', async () => {
  const session = await createOrtSession(await loadOnnxruntimeNode('cpu'), build(), {
    session: { intraOpNumThreads: 1 },
    config: { 'session.x64quantprecision': '1' },
  })
  const { sum } = await session.run({ a: float32(A, ROWS, WIDTH) })
  await session.dispose()
  expect(sum!.data).toEqual(await multiply(A))
})
