import type { Precision } from '../../backends/backend.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'
import { concat } from '../../onnx/ops/shape.ts'

export interface CacheShape {
  readonly layers: number
  /** KV heads. */
  readonly heads: number
  readonly headDim: number
  readonly precision: Precision
}

/** The names of the parts of a KV cache: keys and values of every layer. */
export function layerNames(layers: number): string[] {
  return Array.from({ length: layers }, (_, layer) => [`key.${layer}`, `value.${layer}`]).flat()
}

/**
 * Puts the rows of a prefill pass behind those of a cache, for caches that stay on a device.
 *
 * Inputs: `past_key.{i}`, `past_value.{i}` [1,kvHeads,T,headSize] and what a prefill graph puts out, `key.{i}`, `value.{i}`
 * [1,kvHeads,S,headSize], all in the shape's precision. Outputs: `longer_key.{i}`, `longer_value.{i}` [1,kvHeads,T + S,headSize].
 */
export function buildCacheExtender({ layers, heads, headDim, precision }: CacheShape): BuiltGraph {
  const g = new GraphBuilder('cache_extender')
  for (const name of layerNames(layers)) {
    const past = g.input(`past_${name}`, precision, [1, heads, 'past_length', headDim])
    const rows = g.input(name, precision, [1, heads, 'sequence', headDim])
    g.output(`longer_${name}`, concat(g, [past, rows], 2), precision, [1, heads, 'length', headDim])
  }
  return g.build()
}
