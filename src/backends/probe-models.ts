import type { GraphModel } from './backend.ts'

/** y = a + b over float32 [4]: the cheapest question "does this provider really compute?". */
export function buildAddModel(): GraphModel {
  const vector = { type: FLOAT, dims: [4] }
  return {
    bytes: encodeModel({
      op: 'Add',
      inputs: { a: vector, b: vector },
      outputs: { y: vector },
    }),
  }
}

/** y = a + w, where w lies at `offset` of a weight file. */
export function buildExternalAddModel(location: string, offset: number): GraphModel {
  const vector = { type: FLOAT, dims: [4] }
  const entry = (key: string, value: string) => field(13, [...field(1, key), ...field(2, value)])
  const weight = [
    ...field(1, 4),
    ...field(2, FLOAT),
    ...field(8, 'w'),
    ...entry('location', location),
    ...entry('offset', String(offset)),
    ...entry('length', '16'),
    ...field(14, EXTERNAL),
  ]
  return {
    weightFiles: [location],
    bytes: encodeModel({
      op: 'Add',
      inputs: { a: vector },
      weights: { w: weight },
      outputs: { y: vector },
    }),
  }
}

export const ATTENTION_SHAPE = { queryHeads: 4, kvHeads: 2, headSize: 8, capacity: 8 }

/** One GroupQueryAttention whose KV cache is a buffer of fixed capacity, as the decoder graphs use it. */
export function buildAttentionModel(): GraphModel {
  const { queryHeads, kvHeads, headSize, capacity } = ATTENTION_SHAPE
  const rows = (width: number) => ({ type: FLOAT, dims: [1, 'tokens', width] })
  const cache = { type: FLOAT, dims: [1, kvHeads, capacity, headSize] }
  return {
    bytes: encodeModel({
      op: 'GroupQueryAttention',
      domain: 'com.microsoft',
      attributes: { num_heads: queryHeads, kv_num_heads: kvHeads },
      inputs: {
        query: rows(queryHeads * headSize),
        key: rows(kvHeads * headSize),
        value: rows(kvHeads * headSize),
        past_key: cache,
        past_value: cache,
        seqlens_k: { type: INT32, dims: [1] },
        total_sequence_length: { type: INT32, dims: [] },
      },
      outputs: { output: rows(queryHeads * headSize), present_key: cache, present_value: cache },
    }),
  }
}

const FLOAT = 1
const INT32 = 6
/** TensorProto.DataLocation */
const EXTERNAL = 1

type ValueInfo = { type: number; dims: readonly (number | string)[] }
interface SingleNode {
  op: string
  domain?: string
  attributes?: Record<string, number>
  inputs: Record<string, ValueInfo>
  /** TensorProtos that follow the inputs as operands. */
  weights?: Record<string, readonly number[]>
  outputs: Record<string, ValueInfo>
}

/**
 * A ModelProto of one node (field numbers of onnx.proto3). Written out here because a backend must be testable without
 * the graph builders, which sit above it.
 */
function encodeModel(node: SingleNode): Uint8Array {
  const weights = node.weights ?? {}
  const attributes = Object.entries(node.attributes ?? {}).map(([name, value]) =>
    field(5, [...field(1, name), ...field(3, value), ...field(20, 2)]),
  )
  const nodeProto = [
    ...[...Object.keys(node.inputs), ...Object.keys(weights)].flatMap((name) => field(1, name)),
    ...Object.keys(node.outputs).flatMap((name) => field(2, name)),
    ...field(4, node.op),
    ...attributes.flat(),
    ...field(7, node.domain ?? ''),
  ]
  const graph = [
    ...field(1, nodeProto),
    ...field(2, 'probe'),
    ...Object.values(weights).flatMap((weight) => field(5, weight)),
    ...Object.entries(node.inputs).flatMap(([name, info]) => field(11, encodeValueInfo(name, info))),
    ...Object.entries(node.outputs).flatMap(([name, info]) => field(12, encodeValueInfo(name, info))),
  ]
  const opset = (domain: string, version: number) => field(8, [...field(1, domain), ...field(2, version)])
  return Uint8Array.from([...field(1, 8), ...opset('', 17), ...opset('com.microsoft', 1), ...field(7, graph)])
}

function encodeValueInfo(name: string, { type, dims }: ValueInfo): number[] {
  const shape = dims.flatMap((dim) => field(1, typeof dim === 'number' ? field(1, dim) : field(2, dim)))
  return [...field(1, name), ...field(2, field(1, [...field(1, type), ...field(2, shape)]))]
}

/** A protobuf field: a number as varint, text or a nested message with its length. */
function field(number: number, value: number | string | readonly number[]): number[] {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)]
  const bytes = typeof value === 'string' ? [...new TextEncoder().encode(value)] : value
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]
}

function varint(value: number): number[] {
  const bytes: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest]
    bytes.push((rest & 0x7f) | 0x80)
  }
}
