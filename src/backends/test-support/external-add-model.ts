import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'
import { add } from '../../onnx/ops/elementwise.ts'

/** y = a + w, where w lies at `offset` of a weight file in `folder`. */
export function buildExternalAddModel(folder: string, file: string, offset: number): BuiltGraph {
  const g = new GraphBuilder('probe')
  const w = g.weight('w', { type: 'float32', dims: [4], file, offset, length: 16 })
  g.output('y', add(g, g.input('a', 'float32', [4]), w), 'float32', [4])
  return g.build(folder)
}
