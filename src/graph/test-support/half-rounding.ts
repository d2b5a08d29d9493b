import { vi } from 'vitest'
import { HALVED } from '../../backends/self-test/run-self-test.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'

/**
 * From here on, graphs round every half-precision result as a device does. onnxruntime computes such operators of the
 * processor in float32 and drops the casts between one and the next; a reshape in between keeps them.
 */
export function keepHalfRounding(): void {
  const { nodeOf } = GraphBuilder.prototype
  vi.spyOn(GraphBuilder.prototype, 'nodeOf').mockImplementation(function (this: GraphBuilder, count, opType, ...of) {
    const results = nodeOf.call(this, count, opType, ...of)
    if (!HALVED.has(opType)) return results
    const [shape] = nodeOf.call(this, 1, 'Shape', [results[0]])
    return [...nodeOf.call(this, 1, 'Reshape', [results[0], shape]), ...results.slice(1)]
  })
}

/** A bound of graphs in half precision, on this processor: those of arm64 also add up in it, where x64 computes in float32 between roundings. */
export const halfBound = (bound: number): number => (process.arch === 'arm64' ? 3 * bound : bound)
