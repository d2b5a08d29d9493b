import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { cast } from '../../onnx/ops/elementwise.ts'
import {
  concat,
  depthToSpace,
  dropAlong,
  gather,
  head,
  range,
  reshape,
  shapeOf,
  spaceToDepth,
  split,
  takeAlong,
  transpose,
  unsqueeze,
} from '../../onnx/ops/shape.ts'
import { float, input, integers, noise, type OperatorCase, type Operand, type Reference } from './operator-case.ts'

const DIMS = [6, 8, 10]

/** Moving numbers without changing them, and counting them. */
export function layoutCases(): OperatorCase[] {
  const x = noise(6 * 8 * 10, 21)
  const y = noise(6 * 8 * 10, 22)
  const at = (i: number, j: number, k: number) => x[(i * 8 + j) * 10 + k]!
  const rows = [5, 0, 3, 3]
  const picked = rows.flatMap((row) => [...x.subarray(row * 80, row * 80 + 80)])
  const move = (build: Build, outputs: readonly Reference[], ...others: Operand[]): OperatorCase => ({
    family: 'layout',
    operands: [input(float(DIMS, x)), ...others],
    build: (g, value, other) => build(g, value, other),
    outputs,
  })
  const three = input(integers('int64', [1], [3]))
  return [
    move(gather, [{ dims: [4, 8, 10], values: picked }], input(integers('int64', [4], rows))),
    move((g, a, b) => concat(g, [a, b], 0), [{ dims: [12, 8, 10], values: [...x, ...y] }], input(float(DIMS, y))),
    move((g, a) => head(g, a, 2), [fill([6, 2, 10], at)]),
    move((g, a, count) => takeAlong(g, a, count, 1), [fill([6, 3, 10], at)], three),
    move((g, a, count) => dropAlong(g, a, count, 1), [fill([6, 5, 10], (i, j, k) => at(i, j + 3, k))], three),
    move((g, a) => transpose(g, a, [1, 0, 2]), [fill([8, 6, 10], (i, j, k) => at(j, i, k))]),
    move((g, a) => split(g, a, [4, 6]), [fill([6, 8, 4], at), fill([6, 8, 6], (i, j, k) => at(i, j, k + 4))]),
    move((g, a) => reshape(g, a, [0, -1]), [{ dims: [6, 80], values: x }]),
    move((g, a) => unsqueeze(g, a, 1), [{ dims: [6, 1, 8, 10], values: x }]),
    move((g, a) => cast(g, shapeOf(g, a), 'float32'), [{ dims: [3], values: DIMS }]),
    rangeCase(),
    depthToSpaceCase(),
    spaceToDepthCase(),
  ]
}

type Build = (g: GraphBuilder, x: Value, other: Value) => Value | readonly Value[]

function fill(dims: [number, number, number], value: (i: number, j: number, k: number) => number): Reference {
  const [, columns, depth] = dims
  const size = dims.reduce((product, dim) => product * dim, 1)
  return {
    dims,
    values: Float64Array.from({ length: size }, (_, n) =>
      value(Math.floor(n / (columns * depth)), Math.floor(n / depth) % columns, n % depth),
    ),
  }
}

function rangeCase(): OperatorCase {
  return {
    family: 'layout',
    operands: [input(integers('int64', [], [37]))],
    build: (g, end) => cast(g, range(g, end), 'float32'),
    outputs: [{ dims: [37], values: [...Array(37).keys()] }],
  }
}

/** Four channels to squares of 2 x 2 pixels, as the FLUX.2 autoencoder unpacks its latents. */
function depthToSpaceCase(): OperatorCase {
  const [channels, side] = [3, 5]
  const x = noise(channels * 4 * side * side, 23)
  const { values } = fill([channels, 2 * side, 2 * side], (channel, row, column) => {
    const packed = channel * 4 + (row % 2) * 2 + (column % 2)
    return x[(packed * side + (row >> 1)) * side + (column >> 1)]!
  })
  return {
    family: 'layout',
    operands: [input(float([1, channels * 4, side, side], x))],
    build: (g, packed) => depthToSpace(g, packed),
    outputs: [{ dims: [1, channels, 2 * side, 2 * side], values }],
  }
}

function spaceToDepthCase(): OperatorCase {
  const [channels, side] = [3, 5]
  const x = noise(channels * 4 * side * side, 24)
  const { values } = fill([4 * channels, side, side], (packed, row, column) => {
    const [channel, corner] = [packed % channels, Math.floor(packed / channels)]
    return x[(channel * 2 * side + 2 * row + (corner >> 1)) * 2 * side + 2 * column + (corner % 2)]!
  })
  return {
    family: 'layout',
    operands: [input(float([1, channels, 2 * side, 2 * side], x))],
    build: (g, picture) => spaceToDepth(g, picture),
    outputs: [{ dims: [1, 4 * channels, side, side], values }],
  }
}
