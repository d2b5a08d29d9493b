import { vi } from 'vitest'
import { HALVED } from '../../backends/self-test/run-self-test.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'

/**
 * From here on, graphs round every half-precision result as a device does. onnxruntime computes such operators of the
 * processor in float32 and drops the casts between one and the next; a reshape in between keeps them.
 */
export function keepHalfRounding(): void {
  const node = GraphBuilder.prototype.node
  vi.spyOn(GraphBuilder.prototype, 'node').mockImplementation(function (this: GraphBuilder, opType, inputs, options) {
    const results = node.call(this, opType, inputs, options)
    if (!HALVED.has(opType)) return results
    const [shape] = node.call(this, 'Shape', [results[0]])
    return [...node.call(this, 'Reshape', [results[0], shape]), ...results.slice(1)] as Value[]
  })
}

/** A bound of graphs in half precision, on this processor: those of arm64 also add up in it, where x64 computes in float32 between roundings. */
export const halfBound = (bound: number): number => (process.arch === 'arm64' ? 3 * bound : bound)
