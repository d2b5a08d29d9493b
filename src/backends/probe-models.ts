import { encodeModel, type ValueInfo } from '../onnx/onnx-model.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'

const OPSETS = { '': 21, 'com.microsoft': 1 }
const VECTOR = { type: 'float32', dims: [4] } as const
const vectors = (...names: string[]): ValueInfo[] => names.map((name) => ({ name, ...VECTOR }))
const ADD = { name: 'Add', opType: 'Add', domain: '', attributes: {}, outputs: ['y'] }

/** y = a + b over float32 [4]: the cheapest question "does this provider really compute?". */
export function buildAddModel(): BuiltGraph {
  return {
    bytes: encodeModel({
      name: 'probe',
      opsets: OPSETS,
      initializers: [],
      inputs: vectors('a', 'b'),
      outputs: vectors('y'),
      nodes: [{ ...ADD, inputs: ['a', 'b'] }],
    }),
  }
}

/** y = a + w, where w lies at `offset` of a weight file. */
export function buildExternalAddModel(file: string, offset: number): BuiltGraph {
  return {
    weightFiles: [file],
    bytes: encodeModel({
      name: 'probe',
      opsets: OPSETS,
      inputs: vectors('a'),
      outputs: vectors('y'),
      initializers: [{ name: 'w', ...VECTOR, data: { file, offset, length: 16 } }],
      nodes: [{ ...ADD, inputs: ['a', 'w'] }],
    }),
  }
}
