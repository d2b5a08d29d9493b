import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import {
  instanceNormalization,
  layerNormalization,
  simplifiedLayerNormalization,
  softmax,
} from '../../onnx/ops/normalization.ts'
import { rotaryEmbedding, rotaryEmbeddingAt } from '../../onnx/ops/rotary.ts'
import { reduceMax, reduceMean } from '../../onnx/ops/shape.ts'
import { constant, float, input, integers, noise, type OperatorCase } from './operator-case.ts'
import { rotate } from './rotate.ts'
import type { OperatorFamily } from './self-test.ts'

const ROWS = 40
const WIDTH = 96
const EPSILON = 1e-6

/** What is computed on each row by itself. */
export function rowCases(): OperatorCase[] {
  const gains = noise(WIDTH, 11)
  const shift = noise(WIDTH, 16)
  return [
    rowCase(
      'normalization',
      (g, x, weight) => simplifiedLayerNormalization(g, x, weight, EPSILON),
      (row) => {
        const size = Math.sqrt(mean(row.map((value) => value ** 2)) + EPSILON)
        return row.map((value, i) => (value / size) * gains[i]!)
      },
      gains,
    ),
    rowCase(
      'normalization',
      (g, x, weight, bias) => layerNormalization(g, x, weight, bias, EPSILON),
      (row) => standardize(row).map((value, i) => value * gains[i]! + shift[i]!),
      gains,
      shift,
    ),
    rowCase('softmax', softmax, (row) => {
      const exponentials = row.map(Math.exp)
      const sum = exponentials.reduce((a, b) => a + b, 0)
      return exponentials.map((value) => value / sum)
    }),
    rowCase(
      'normalization',
      (g, x) => reduceMax(g, x),
      (row) => Float64Array.of(Math.max(...row)),
    ),
    meanCase(),
    instanceNormalizationCase(),
    rotaryCase(false),
    rotaryCase(true),
  ]
}

type Build = (g: GraphBuilder, x: Value, ...more: Value[]) => Value

/** x [ROWS, WIDTH], row by row; `more` are operands [WIDTH]. */
function rowCase(
  family: OperatorFamily,
  build: Build,
  change: (row: Float64Array) => Float64Array,
  ...more: Float32Array[]
): OperatorCase {
  const x = noise(ROWS * WIDTH, 12).map((value) => 3 * value)
  const values = Array.from({ length: ROWS }, (_, row) =>
    Array.from(change(Float64Array.from(x.subarray(row * WIDTH, (row + 1) * WIDTH)))),
  ).flat()
  const operands = [input(float([ROWS, WIDTH], x)), ...more.map((row) => constant(float([WIDTH], row)))]
  return {
    family,
    operands,
    build: (g, rows, ...others) => build(g, rows, ...others),
    outputs: [{ dims: [ROWS, values.length / ROWS], values }],
  }
}

/** The mean of all rows. */
function meanCase(): OperatorCase {
  const x = noise(ROWS * WIDTH, 17)
  const values = Array.from({ length: WIDTH }, (_, column) => mean(x.filter((__, i) => i % WIDTH === column)))
  return {
    family: 'normalization',
    operands: [input(float([ROWS, WIDTH], x))],
    build: (g, rows) => reduceMean(g, rows, 0),
    outputs: [{ dims: [1, WIDTH], values }],
  }
}

function instanceNormalizationCase(): OperatorCase {
  const [groups, size] = [8, 300]
  const x = noise(groups * size, 13)
  const values = Array.from({ length: groups }, (_, group) => [
    ...standardize(Float64Array.from(x.subarray(group * size, (group + 1) * size))),
  ]).flat()
  return {
    family: 'normalization',
    operands: [input(float([1, groups, size], x))],
    build: (g, channels) => instanceNormalization(g, channels, groups, EPSILON),
    outputs: [{ dims: [1, groups, size], values }],
  }
}

/** Both ways that graphs use it: adjacent pairs from a first position, and halves at the position of each token. */
function rotaryCase(interleaved: boolean): OperatorCase {
  const [tokens, heads, size] = [40, 3, 32]
  const dims = [1, tokens, heads * size]
  const rows = noise(tokens * heads * size, 14)
  const angles = noise((tokens * size) / 2, 15)
  const tables = [Math.cos, Math.sin].map((part) => constant(float([tokens, size / 2], angles.map(part))))
  const positions = integers('int64', [1, tokens], [...Array(tokens).keys()])
  return {
    family: 'rotary',
    operands: [input(float(dims, rows)), ...tables, ...(interleaved ? [] : [input(positions)])],
    build: (g, x, cos, sin, at) =>
      interleaved ? rotaryEmbedding(g, x, cos, sin) : rotaryEmbeddingAt(g, x, at, cos, sin),
    outputs: [{ dims, values: rotate({ rows, heads, size, angles, interleaved }) }],
  }
}

function standardize(row: Float64Array): Float64Array {
  const middle = mean(row)
  const size = Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + EPSILON)
  return row.map((value) => (value - middle) / size)
}

function mean(row: Float64Array | Float32Array): number {
  let sum = 0
  for (const value of row) sum += value
  return sum / row.length
}
