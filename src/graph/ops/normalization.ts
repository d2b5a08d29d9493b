import { single, type GraphBuilder, type Value } from '../graph-builder.ts'

/** RMSNorm over the last axis, statistics in float32. */
export function simplifiedLayerNormalization(g: GraphBuilder, x: Value, weight: Value, epsilon: number): Value {
  const attributes = { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } }
  return single(g.node('SimplifiedLayerNormalization', [x, weight], { attributes }))
}
