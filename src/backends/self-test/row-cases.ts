import { constant, float, input, integers, noise, type OperatorCase } from './operator-case.ts'
import { rotate } from './rotate.ts'

const ROWS = 40
const WIDTH = 96
const EPSILON = 1e-6

type Change = (row: Float64Array) => Float64Array

/** What is computed on each row, or each number, by itself. */
export function rowCases(): OperatorCase[] {
  const gains = noise(WIDTH, 11)
  const shift = noise(WIDTH, 16)
  const normalization = (opType: string, change: Change, ...more: Float32Array[]) =>
    rowCase(
      {
        family: 'normalization',
        opType,
        attributes: { axis: { int: -1 }, epsilon: { float: EPSILON }, stash_type: { int: 1 } },
      },
      (row) => change(row).map((value, i) => value * gains[i]! + (more[0]?.[i] ?? 0)),
      gains,
      ...more,
    )
  return [
    normalization('SimplifiedLayerNormalization', (row) => {
      const size = Math.sqrt(mean(row.map((value) => value ** 2)) + EPSILON)
      return row.map((value) => value / size)
    }),
    normalization('LayerNormalization', standardize, shift),
    rowCase({ family: 'softmax', opType: 'Softmax', attributes: { axis: { int: -1 } } }, (row) => {
      const exponentials = row.map(Math.exp)
      const sum = exponentials.reduce((a, b) => a + b, 0)
      return exponentials.map((value) => value / sum)
    }),
    rowCase(
      {
        family: 'elementwise',
        opType: 'QuickGelu',
        domain: 'com.microsoft',
        attributes: { alpha: { float: 1 } },
      },
      (row) => row.map((value) => value / (1 + Math.exp(-value))),
    ),
    rowCase({ family: 'elementwise', opType: 'Gelu', domain: 'com.microsoft' }, (row) =>
      row.map((value) => (value * (1 + errorFunction(value / Math.SQRT2))) / 2),
    ),
    rowCase({ family: 'elementwise', opType: 'Relu' }, (row) => row.map((value) => Math.max(0, value))),
    rowCase({ family: 'elementwise', opType: 'Tanh' }, (row) => row.map(Math.tanh)),
    rowCase({ family: 'elementwise', opType: 'Add' }, (row) => row.map((value, i) => value + gains[i]!), gains),
    rowCase({ family: 'elementwise', opType: 'Mul' }, (row) => row.map((value, i) => value * gains[i]!), gains),
    meanCase(),
    instanceNormalizationCase(),
    rotaryCase(false),
    rotaryCase(true),
  ]
}

type Operator = Pick<OperatorCase, 'family' | 'opType' | 'domain' | 'attributes'>

/** x [ROWS, WIDTH], row by row; `more` are operands [WIDTH]. */
function rowCase(operator: Operator, change: Change, ...more: Float32Array[]): OperatorCase {
  const x = noise(ROWS * WIDTH, 12).map((value) => 3 * value)
  const values = Array.from({ length: ROWS }, (_, row) =>
    Array.from(change(Float64Array.from(x.subarray(row * WIDTH, (row + 1) * WIDTH)))),
  ).flat()
  const operands = [input(float([ROWS, WIDTH], x)), ...more.map((row) => constant(float([WIDTH], row)))]
  return { ...operator, operands, outputs: [{ dims: [ROWS, WIDTH], values }] }
}

/** The mean of all rows. */
function meanCase(): OperatorCase {
  const x = noise(ROWS * WIDTH, 17)
  const values = Array.from({ length: WIDTH }, (_, i) => {
    const column = Array.from({ length: ROWS }, (__, row) => x[row * WIDTH + i]!)
    return column.reduce((sum, value) => sum + value, 0) / ROWS
  })
  return {
    family: 'elementwise',
    opType: 'ReduceMean',
    attributes: { keepdims: { int: 1 } },
    operands: [input(float([ROWS, WIDTH], x)), constant(integers('int64', [1], [0]))],
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
    opType: 'InstanceNormalization',
    attributes: { epsilon: { float: EPSILON } },
    operands: [
      input(float([1, groups, size], x)),
      constant(float([groups], Array(groups).fill(1))),
      constant(float([groups], Array(groups).fill(0))),
    ],
    outputs: [{ dims: [1, groups, size], values }],
  }
}

function rotaryCase(interleaved: boolean): OperatorCase {
  const [tokens, heads, size] = [40, 3, 32]
  const dims = [1, tokens, heads * size]
  const rows = noise(tokens * heads * size, 14)
  const angles = noise((tokens * size) / 2, 15)
  // Both ways that graphs use it: one first position, or one of each token.
  const positions = interleaved
    ? integers('int64', [1], [0])
    : integers('int64', [1, tokens], [...Array(tokens).keys()])
  return {
    family: 'rotary',
    opType: 'RotaryEmbedding',
    domain: 'com.microsoft',
    attributes: { interleaved: { int: Number(interleaved) } },
    operands: [
      input(float(dims, rows)),
      input(positions),
      constant(float([tokens, size / 2], angles.map(Math.cos))),
      constant(float([tokens, size / 2], angles.map(Math.sin))),
    ],
    outputs: [{ dims, values: rotate({ rows, heads, size, angles, interleaved }) }],
  }
}

/** erf by its Taylor series, which gives all digits of a float for the magnitudes below 3 that cases have. */
function errorFunction(x: number): number {
  let term = x
  let sum = x
  for (let n = 1; n < 60; n++) {
    term *= -(x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}

function standardize(row: Float64Array): Float64Array {
  const middle = mean(row)
  const size = Math.sqrt(mean(row.map((value) => (value - middle) ** 2)) + EPSILON)
  return row.map((value) => (value - middle) / size)
}

function mean(row: Float64Array): number {
  return row.reduce((sum, value) => sum + value, 0) / row.length
}
