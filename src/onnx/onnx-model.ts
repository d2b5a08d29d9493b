import { ProtobufWriter } from './protobuf-writer.ts'

/** TensorProto.DataType of onnx.proto. */
export const DATA_TYPES = {
  float32: 1,
  uint8: 2,
  int8: 3,
  int32: 6,
  int64: 7,
  bool: 9,
  float16: 10,
  bfloat16: 16,
} as const

export type DataType = keyof typeof DATA_TYPES

/** A number, or the name of a symbolic dimension. */
export type Dimension = number | string

export interface ValueInfo {
  readonly name: string
  readonly type: DataType
  readonly dims: readonly Dimension[]
}

/** A tensor that is part of the model; its bytes are inline or a range of a file beside the model. */
export interface Initializer {
  readonly name: string
  readonly type: DataType
  readonly dims: readonly number[]
  readonly data: Uint8Array | { readonly file: string; readonly offset: number; readonly length: number }
}

/** Whole numbers must be told from floats, hence the tagged forms; lists are whole numbers. */
export type Attribute =
  | { readonly float: number }
  | { readonly int: number }
  | { readonly string: string }
  | { readonly graph: Graph }
  | readonly number[]

export interface Node {
  readonly name: string
  readonly opType: string
  readonly domain: string
  /** An empty name is an omitted optional input. */
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly attributes: Readonly<Record<string, Attribute>>
}

/** What a model computes, or the body of a node, which may read values of the graph around it. */
export interface Graph {
  readonly name: string
  readonly inputs: readonly ValueInfo[]
  readonly outputs: readonly ValueInfo[]
  readonly initializers: readonly Initializer[]
  readonly nodes: readonly Node[]
}

/** The operator sets of every model; 21 is the newest of ai.onnx whose operators all backends of onnxruntime 1.30 run. */
const OPERATOR_SETS = { '': 21, 'com.microsoft': 1 }
/** IR version 10 is the first that knows operator set 21. */
const IR_VERSION = 10

/** Serialises a ModelProto. Field numbers are those of onnx.proto. */
export function encodeModel(graph: Graph): Uint8Array {
  const proto = new ProtobufWriter().integer(1, IR_VERSION).string(2, 'tessera').message(7, encodeGraph(graph))
  for (const [domain, version] of Object.entries(OPERATOR_SETS)) {
    proto.message(8, new ProtobufWriter().string(1, domain).integer(2, version))
  }
  return proto.finish()
}

function encodeGraph(graph: Graph): ProtobufWriter {
  const proto = new ProtobufWriter()
  for (const node of graph.nodes) proto.message(1, encodeNode(node))
  proto.string(2, graph.name)
  for (const initializer of graph.initializers) proto.message(5, encodeInitializer(initializer))
  for (const input of graph.inputs) proto.message(11, encodeValueInfo(input))
  for (const output of graph.outputs) proto.message(12, encodeValueInfo(output))
  return proto
}

function encodeNode(node: Node): ProtobufWriter {
  const proto = new ProtobufWriter()
  for (const input of node.inputs) proto.string(1, input)
  for (const output of node.outputs) proto.string(2, output)
  proto.string(3, node.name).string(4, node.opType)
  for (const [name, value] of Object.entries(node.attributes)) proto.message(5, encodeAttribute(name, value))
  if (node.domain !== '') proto.string(7, node.domain)
  return proto
}

function encodeAttribute(name: string, value: Attribute): ProtobufWriter {
  const proto = new ProtobufWriter().string(1, name)
  if ('float' in value) return proto.float(2, value.float).integer(20, 1)
  if ('int' in value) return proto.integer(3, value.int).integer(20, 2)
  if ('string' in value) return proto.string(4, value.string).integer(20, 3)
  if ('graph' in value) return proto.message(6, encodeGraph(value.graph)).integer(20, 5)
  for (const item of value) proto.integer(8, item)
  return proto.integer(20, 7)
}

function encodeInitializer(initializer: Initializer): ProtobufWriter {
  const proto = new ProtobufWriter()
  for (const dim of initializer.dims) proto.integer(1, dim)
  proto.integer(2, DATA_TYPES[initializer.type]).string(8, initializer.name)
  const { data } = initializer
  if (data instanceof Uint8Array) return proto.bytes(9, data)
  const entries = { location: data.file, offset: String(data.offset), length: String(data.length) }
  for (const [key, value] of Object.entries(entries)) {
    proto.message(13, new ProtobufWriter().string(1, key).string(2, value))
  }
  return proto.integer(14, 1)
}

function encodeValueInfo(info: ValueInfo): ProtobufWriter {
  const shape = new ProtobufWriter()
  for (const dim of info.dims) {
    const proto = new ProtobufWriter()
    shape.message(1, typeof dim === 'number' ? proto.integer(1, dim) : proto.string(2, dim))
  }
  const tensor = new ProtobufWriter().integer(1, DATA_TYPES[info.type]).message(2, shape)
  return new ProtobufWriter().string(1, info.name).message(2, new ProtobufWriter().message(1, tensor))
}
