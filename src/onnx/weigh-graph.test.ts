import { expect, it } from 'vitest'
import { GraphBuilder } from './graph-builder.ts'
import { cast } from './ops/elementwise.ts'
import { matMulNBits, multiplyAndAdd } from './ops/matmul.ts'
import { gather } from './ops/shape.ts'

const at = (length: number) => ({ file: 'model.safetensors', offset: 0, length })

it('counts packed blocks with their scales, which stay in the file too, and sums, expanded halves twice, and rows that are picked not at all', () => {
  const g = new GraphBuilder('weights')
  const x = g.input('x', 'float32', ['rows', 64])
  const values = g.weight('w', { type: 'uint8', dims: [32, 2, 16], ...at(1024) })
  const scales = g.weight('s', { type: 'float32', dims: [32, 2], ...at(256) })
  matMulNBits(g, x, values, scales, { K: 64, N: 32, bits: 4, blockSize: 32, accuracyLevel: 4 })
  expect(g.build('/models').memory).toEqual({ floats: 0, rest: 1024 + 2 * 256, mapped: 256 })
  g.node('MatMul', [x, cast(g, g.weight('half', { type: 'bfloat16', dims: [64, 8], ...at(1000) }), 'float32')])
  gather(g, g.weight('table', { type: 'float32', dims: [100, 8], ...at(3200) }), g.input('ids', 'int64', ['n']))
  expect(g.build('/models').memory).toEqual({ floats: 2000, rest: 1024 + 2 * 256, mapped: 256 })
})

it('counts a matrix that something is added to when the session opens, and the two beside it', () => {
  const g = new GraphBuilder('changed')
  const weight = g.weight('w', { type: 'float32', dims: [50, 5], ...at(1000) })
  const factor = (name: string, rows: number, columns: number) =>
    g.initializer(name, 'float32', [rows, columns], new Float32Array(rows * columns))
  multiplyAndAdd(g, factor('a', 50, 1), factor('b', 1, 5), weight)
  expect(g.build('/models').memory).toEqual({ floats: 1400, rest: 2 * 4 * 55, mapped: 0 })
})

it('counts what is inside the model twice', () => {
  const g = new GraphBuilder('inside')
  g.node('Add', [g.initializer('a', 'float32', [5], new Float32Array(5)), g.input('b', 'float32', [5])])
  expect(g.build().memory).toEqual({ floats: 0, rest: 40, mapped: 0 })
})
