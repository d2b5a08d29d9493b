import type { GraphBuilder, Value } from '../graph-builder.ts'

/** RMSNorm over the last axis, statistics in float32. */
export function simplifiedLayerNormalization(g: GraphBuilder, x: Value, weight: Value, epsilon: number): Value {
  const attributes = { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } }
  return g.node('SimplifiedLayerNormalization', [x, weight], { attributes })
}

/** LayerNorm over the last axis, then times `scale` and plus `shift`, of the width of a row. */
export function layerNormalization(
  g: GraphBuilder,
  x: Value,
  scale: Value,
  shift: Value | undefined,
  epsilon: number,
): Value {
  const attributes = { axis: { int: -1 }, epsilon: { float: epsilon }, stash_type: { int: 1 } }
  return g.node('LayerNormalization', shift === undefined ? [x, scale] : [x, scale, shift], { attributes })
}

/** Every channel of [1, channels, ...] to mean 0 and variance 1. */
export function instanceNormalization(g: GraphBuilder, x: Value, channels: number, epsilon: number): Value {
  const ones = g.initializer(`ones[${channels}]`, 'float32', [channels], new Float32Array(channels).fill(1))
  const zeros = g.initializer(`zeros[${channels}]`, 'float32', [channels], new Float32Array(channels))
  return g.node('InstanceNormalization', [x, ones, zeros], { attributes: { epsilon: { float: epsilon } } })
}

export function softmax(g: GraphBuilder, x: Value): Value {
  return g.node('Softmax', [x], { attributes: { axis: { int: -1 } } })
}
