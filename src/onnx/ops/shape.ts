import type { GraphBuilder, Value } from '../graph-builder.ts'

/** Stands for the end of an axis, in the integers that every execution provider handles. */
const MAX_INT32 = 2 ** 31 - 1

/** @param shape at most one entry is -1 (inferred); 0 keeps the input's dimension at that place */
export function reshape(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  return g.node('Reshape', [x, g.integers(shape)])
}

/** Picks entries of `data` along its first axis. */
export function gather(g: GraphBuilder, data: Value, indices: Value): Value {
  return gatherAlong(g, data, indices, 0)
}

/** Picks entries of `data` along `axis`. */
export function gatherAlong(g: GraphBuilder, data: Value, indices: Value, axis: number): Value {
  return g.node('Gather', [data, indices], { attributes: { axis: { int: axis } } })
}

export function unsqueeze(g: GraphBuilder, x: Value, axis: number): Value {
  return g.node('Unsqueeze', [x, g.integers([axis])])
}

export function concat(g: GraphBuilder, parts: readonly Value[], axis: number): Value {
  return g.node('Concat', parts, { attributes: { axis: { int: axis } } })
}

/** The first `length` entries of the second axis. */
export function head(g: GraphBuilder, x: Value, length: number): Value {
  return takeAlong(g, x, g.integers([length]), 1)
}

/** The dimensions of `x`, int64. */
export function shapeOf(g: GraphBuilder, x: Value): Value {
  return g.node('Shape', [x])
}

/** The length of the first axis of `x`, int64 [1]. */
export function countRows(g: GraphBuilder, x: Value): Value {
  return countAlong(g, x, 0)
}

/** The length of `axis`, int64 [1]. */
export function countAlong(g: GraphBuilder, x: Value, axis: number): Value {
  return g.node('Shape', [x], { attributes: { start: { int: axis }, end: { int: axis + 1 } } })
}

/** The numbers below the int64 scalar `end`. */
export function range(g: GraphBuilder, end: Value): Value {
  return g.node('Range', [g.scalar(0, 'int64'), end, g.scalar(1, 'int64')])
}

/** @param shape int64, as {@link shapeOf} gives it */
export function reshapeLike(g: GraphBuilder, x: Value, shape: Value): Value {
  return g.node('Reshape', [x, shape])
}

/** The first `count` (int64 [1]) entries of the first axis. */
export function takeRows(g: GraphBuilder, x: Value, count: Value): Value {
  return takeAlong(g, x, count, 0)
}

/** The first `count` (int64 [1]) entries of `axis`. */
export function takeAlong(g: GraphBuilder, x: Value, count: Value, axis: number): Value {
  return g.node('Slice', [x, g.integers([0]), count, g.integers([axis])])
}

/** All entries of the first axis but the first `count` (int64 [1]). */
export function dropRows(g: GraphBuilder, x: Value, count: Value): Value {
  return dropAlong(g, x, count, 0)
}

/** All entries of `axis` but the first `count` (int64 [1]). */
export function dropAlong(g: GraphBuilder, x: Value, count: Value, axis: number): Value {
  return g.node('Slice', [x, count, g.integers([MAX_INT32]), g.integers([axis])])
}

/** The largest over some axes, by default the last one, which keep a length of 1. */
export function reduceMax(g: GraphBuilder, x: Value, axes: readonly number[] = [-1]): Value {
  return g.node('ReduceMax', [x, g.integers(axes)], { attributes: { keepdims: { int: 1 } } })
}

/** The mean over `axis`, which keeps a length of 1. */
export function reduceMean(g: GraphBuilder, x: Value, axis: number): Value {
  return g.node('ReduceMean', [x, g.integers([axis])], { attributes: { keepdims: { int: 1 } } })
}

export function transpose(g: GraphBuilder, x: Value, permutation: readonly number[]): Value {
  return g.node('Transpose', [x], { attributes: { perm: permutation } })
}

/** Cuts the last axis into pieces of these lengths. */
export function split<const Sizes extends readonly number[]>(
  g: GraphBuilder,
  x: Value,
  sizes: Sizes,
): { [Index in keyof Sizes]: Value } {
  const options = { attributes: { axis: { int: -1 } } }
  return g.nodeOf(sizes.length, 'Split', [x, g.integers(sizes)], options) as { [Index in keyof Sizes]: Value }
}

/** One value for each place of four of the same shape, [1, C, h, w], as squares of 2 x 2: [1, C, 2h, 2w]. */
export function interleave(g: GraphBuilder, corners: readonly Value[], channels: number): Value {
  const size = g.node('Shape', [corners[0]!], { attributes: { start: { int: 2 }, end: { int: 4 } } })
  const packed = concat(
    g,
    corners.map((corner) => unsqueeze(g, corner, 2)),
    2,
  )
  return depthToSpace(g, reshapeLike(g, packed, concat(g, [g.integers([1, 4 * channels]), size], 0)))
}

/** Blocks of 4 channels to squares of 2 x 2 pixels: [1, 4·C, h, w] to [1, C, 2h, 2w]. */
export function depthToSpace(g: GraphBuilder, x: Value): Value {
  return g.node('DepthToSpace', [x], { attributes: { blocksize: { int: 2 }, mode: { string: 'CRD' } } })
}

/** Squares of 2 x 2 pixels to channels, those of a square's corner together: [1, C, 2h, 2w] to [1, 4·C, h, w]. */
export function spaceToDepth(g: GraphBuilder, x: Value): Value {
  return g.node('SpaceToDepth', [x], { attributes: { blocksize: { int: 2 } } })
}
