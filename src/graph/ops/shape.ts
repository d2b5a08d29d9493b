import { single, type GraphBuilder, type Value } from '../graph-builder.ts'

/** @param shape at most one entry is -1 (inferred); 0 keeps the input's dimension at that place */
export function reshape(g: GraphBuilder, x: Value, shape: readonly number[]): Value {
  return single(g.node('Reshape', [x, g.integers(shape)]))
}

/** Picks entries of `data` along its first axis. */
export function gather(g: GraphBuilder, data: Value, indices: Value): Value {
  return single(g.node('Gather', [data, indices], { attributes: { axis: { int: 0 } } }))
}

export function unsqueeze(g: GraphBuilder, x: Value, axis: number): Value {
  return single(g.node('Unsqueeze', [x, g.integers([axis])]))
}

export function concat(g: GraphBuilder, parts: readonly Value[], axis: number): Value {
  return single(g.node('Concat', parts, { attributes: { axis: { int: axis } } }))
}

/** The first `length` entries of `axis`. */
export function head(g: GraphBuilder, x: Value, length: number, axis: number): Value {
  return single(g.node('Slice', [x, g.integers([0]), g.integers([length]), g.integers([axis])]))
}
