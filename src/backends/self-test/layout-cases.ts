import { constant, float, input, integers, noise, type OperatorCase, type Reference } from './operator-case.ts'

/** Moving numbers without changing them. */
export function layoutCases(): OperatorCase[] {
  const x = noise(6 * 8 * 10, 21)
  const y = noise(6 * 8 * 10, 22)
  const dims = [6, 8, 10]
  const at = (i: number, j: number, k: number) => x[(i * 8 + j) * 10 + k]!
  const rows = [5, 0, 3, 3]
  const picked = rows.flatMap((row) => [...x.subarray(row * 80, row * 80 + 80)])
  const operator = (opType: string, operands: OperatorCase['operands'], outputs: Reference[], attributes = {}) =>
    ({ family: 'layout', opType, operands: [input(float(dims, x)), ...operands], outputs, attributes }) as const
  const integer = (...values: number[]) => constant(integers('int64', [values.length], values))
  return [
    operator('Gather', [input(integers('int64', [4], rows))], [{ dims: [4, 8, 10], values: picked }], {
      axis: { int: 0 },
    }),
    operator('Concat', [input(float(dims, y))], [{ dims: [12, 8, 10], values: [...x, ...y] }], { axis: { int: 0 } }),
    operator('Slice', [integer(1), integer(3), integer(1)], [fill([6, 2, 10], (i, j, k) => at(i, j + 1, k))]),
    operator('Transpose', [], [fill([8, 6, 10], (i, j, k) => at(j, i, k))], { perm: [1, 0, 2] }),
    operator('Split', [integer(4, 6)], [fill([6, 8, 4], at), fill([6, 8, 6], (i, j, k) => at(i, j, k + 4))], {
      axis: { int: -1 },
    }),
    depthToSpace(),
    spaceToDepth(),
  ]
}

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

/** Four channels to squares of 2 x 2 pixels, as the FLUX.2 autoencoder unpacks its latents. */
function depthToSpace(): OperatorCase {
  const [channels, side] = [3, 5]
  const x = noise(channels * 4 * side * side, 23)
  const { values } = fill([channels, 2 * side, 2 * side], (channel, row, column) => {
    const packed = channel * 4 + (row % 2) * 2 + (column % 2)
    return x[(packed * side + (row >> 1)) * side + (column >> 1)]!
  })
  return {
    family: 'layout',
    opType: 'DepthToSpace',
    attributes: { blocksize: { int: 2 }, mode: { string: 'CRD' } },
    operands: [input(float([1, channels * 4, side, side], x))],
    outputs: [{ dims: [1, channels, 2 * side, 2 * side], values }],
  }
}

function spaceToDepth(): OperatorCase {
  const [channels, side] = [3, 5]
  const x = noise(channels * 4 * side * side, 24)
  const { values } = fill([4 * channels, side, side], (packed, row, column) => {
    const [channel, corner] = [packed % channels, Math.floor(packed / channels)]
    return x[(channel * 2 * side + 2 * row + (corner >> 1)) * 2 * side + 2 * column + (corner % 2)]!
  })
  return {
    family: 'layout',
    opType: 'SpaceToDepth',
    attributes: { blocksize: { int: 2 } },
    operands: [input(float([1, channels, 2 * side, 2 * side], x))],
    outputs: [{ dims: [1, 4 * channels, side, side], values }],
  }
}
