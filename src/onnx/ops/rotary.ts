import type { GraphBuilder, Value } from '../graph-builder.ts'

/**
 * Rotates adjacent pairs of each head of x [1, S, heads · headSize] by the angle that the token's row of `cos` and
 * `sin` [S, headSize / 2] gives.
 */
export function rotaryEmbedding(g: GraphBuilder, x: Value, cos: Value, sin: Value): Value {
  // One position is the first one's: token k then reads row k of the tables.
  const firstRow = g.integers([0])
  const options = { domain: 'com.microsoft', attributes: { interleaved: { int: 1 } } }
  return g.node('RotaryEmbedding', [x, firstRow, cos, sin], options)
}

/**
 * Rotates pairs half a head apart by the angles in the rows `positions` (int64 [1, S]) of `cos` and `sin`
 * [positions, headSize / 2].
 */
export function rotaryEmbeddingAt(g: GraphBuilder, x: Value, positions: Value, cos: Value, sin: Value): Value {
  return g.node('RotaryEmbedding', [x, positions, cos, sin], { domain: 'com.microsoft' })
}
