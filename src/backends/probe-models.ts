import type { BuiltGraph } from '../onnx/built-graph.ts'
import { GraphBuilder } from '../onnx/graph-builder.ts'
import { add } from '../onnx/ops/elementwise.ts'

/** y = a + b over float32 [4]: the cheapest question "does this provider really compute?". */
export function buildAddModel(): BuiltGraph {
  const g = new GraphBuilder('probe')
  g.output('y', add(g, g.input('a', 'float32', [4]), g.input('b', 'float32', [4])), 'float32', [4])
  return g.build()
}
