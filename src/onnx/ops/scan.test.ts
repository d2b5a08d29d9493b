import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import { GraphBuilder, type Value } from '../graph-builder.ts'
import { add, mul } from './elementwise.ts'
import { scan } from './scan.ts'
import { reduceMax } from './shape.ts'

const backend = await cpuBackend()

const DIMS = ['width'] as const

/** Each row of x times 2 and plus y, and the largest of that. */
function addTo(g: GraphBuilder, x: Value, y: Value): Value {
  return scan(g, [{ name: 'row', all: x, type: 'float32', dims: DIMS }], (row) => {
    const value = add(g, mul(g, row, g.scalar(2, 'float32')), y)
    return { name: 'sum', value, type: 'float32', dims: DIMS }
  })
}

it('runs a body on each element, which reads constants and values around it, also those that are results', async () => {
  const g = new GraphBuilder('scans')
  const x = g.input('x', 'float32', ['rows', 'width'])
  const y = add(g, g.input('y', 'float32', ['width']), g.scalar(2, 'float32'))
  g.output('outer', y, 'float32', ['width'])
  const once = addTo(g, x, y)
  g.output('twice', addTo(g, once, y), 'float32', ['rows', 'width'])
  g.output('largest', reduceMax(g, once), 'float32', ['rows', 1])
  expect(g.operators).toEqual(['Add', 'Scan', 'Mul', 'Add', 'Scan', 'Mul', 'Add', 'ReduceMax'])
  const results = await runGraph(backend, g.build(), {
    x: float32(Float32Array.of(1, 2, 3, 4, 5, 6), 3, 2),
    y: float32(Float32Array.of(8, 98), 2),
  })
  expect([...results['outer']!.data]).toEqual([10, 100])
  expect([...results['twice']!.data]).toEqual([34, 308, 42, 316, 50, 324])
  expect([...results['largest']!.data]).toEqual([104, 108, 112])
})

it('takes elements of several sequences together', async () => {
  const g = new GraphBuilder('pairs')
  const sequence = (name: string) => ({
    name: 'row',
    all: g.input(name, 'float32', ['rows', 'width']),
    type: 'float32' as const,
    dims: DIMS,
  })
  const products = scan(g, [sequence('a'), { ...sequence('b'), name: 'other' }], (a, b) => ({
    name: 'product',
    value: mul(g, a, b),
    type: 'float32',
    dims: DIMS,
  }))
  g.output('products', products, 'float32', ['rows', 'width'])
  const results = await runGraph(backend, g.build(), {
    a: float32(Float32Array.of(1, 2, 3, 4), 2, 2),
    b: float32(Float32Array.of(5, 6, 7, 8), 2, 2),
  })
  expect([...results['products']!.data]).toEqual([5, 12, 21, 32])
})
