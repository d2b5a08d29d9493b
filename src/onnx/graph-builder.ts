import type { BuiltGraph } from './built-graph.ts'
import {
  encodeModel,
  type Attribute,
  type DataType,
  type Dimension,
  type Graph,
  type Initializer,
  type Node,
  type ValueInfo,
} from './onnx-model.ts'
import { weighGraph } from './weigh-graph.ts'

/** A value in the graph: what a node, an input or an initializer yields. */
export type Value = string & { readonly __value: unique symbol }

/** Bytes of a weight file that an initializer refers to. */
export interface WeightBytes {
  readonly type: DataType
  readonly dims: readonly number[]
  /** Name relative to the model's folder. */
  readonly file: string
  readonly offset: number
  readonly length: number
}

export interface NodeOptions {
  readonly domain?: string
  readonly attributes?: Readonly<Record<string, Attribute>>
}

const SCALARS = {
  float32: (value: number) => Float32Array.of(value),
  int64: (value: number) => BigInt64Array.of(BigInt(value)),
  uint8: (value: number) => Uint8Array.of(value),
  int8: (value: number) => Int8Array.of(value),
}

/**
 * Collects the nodes, inputs, outputs and initializers of one ONNX graph. The helpers in `ops/` are the way to add
 * nodes; a model is an ordinary function that calls them.
 */
export class GraphBuilder {
  readonly #name: string
  #nodes: Node[] = []
  #named = 0
  readonly #inputs: ValueInfo[] = []
  readonly #outputs: (ValueInfo & { value: Value })[] = []
  readonly #initializers = new Map<string, Initializer>()
  readonly #constants = new Map<string, Value>()

  constructor(name: string) {
    this.#name = name
  }

  input(name: string, type: DataType, dims: readonly Dimension[]): Value {
    this.#inputs.push({ name, type, dims })
    return name as Value
  }

  /** Makes a node's result an output of the graph under `name`. */
  output(name: string, value: Value, type: DataType, dims: readonly Dimension[]): void {
    this.#outputs.push({ name, type, dims, value })
  }

  /** A weight that stays in its file. Asking twice for the same name gives the same initializer. */
  weight(name: string, bytes: WeightBytes): Value {
    const { type, dims, file, offset, length } = bytes
    this.#initializers.set(name, { name, type, dims, data: { file, offset, length } })
    return name as Value
  }

  /** A tensor that travels inside the model. */
  initializer(name: string, type: DataType, dims: readonly number[], data: ArrayBufferView): Value {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    this.#initializers.set(name, { name, type, dims, data: bytes })
    return name as Value
  }

  /** A small constant list of whole numbers, shared by every use in the graph (shapes, axes, indices). */
  integers(values: readonly number[]): Value {
    return this.#constant(`int64[${values}]`, (name) =>
      this.initializer(name, 'int64', [values.length], BigInt64Array.from(values, BigInt)),
    )
  }

  /** A constant scalar, shared by every use in the graph. */
  scalar(value: number, type: keyof typeof SCALARS): Value {
    return this.#constant(`${type}(${value})`, (name) => this.initializer(name, type, [], SCALARS[type](value)))
  }

  /** The operator of each node added so far, those of bodies behind theirs. */
  get operators(): string[] {
    return withBodies(this.#nodes).map(({ opType }) => opType)
  }

  /** Adds a node and returns its result, the first one of several. Prefer the named helpers. */
  node(opType: string, inputs: readonly (Value | undefined)[], options?: NodeOptions): Value {
    return this.nodeOf(1, opType, inputs, options)[0]!
  }

  /** Adds a node of which the first `count` results are used, and returns them. */
  nodeOf(
    count: number,
    opType: string,
    inputs: readonly (Value | undefined)[],
    { domain = '', attributes = {} }: NodeOptions = {},
  ): Value[] {
    const name = `${opType}_${this.#named++}`
    const outputs = Array.from({ length: count }, (_, i) => (i === 0 ? name : `${name}:${i}`))
    this.#nodes.push({ name, opType, domain, inputs: inputs.map((input) => input ?? ''), outputs, attributes })
    return outputs as Value[]
  }

  /**
   * The body of a node that runs a graph of its own: nodes that `make` adds are in it, and may read all values that there are outside. Weights and
   * constants that it asks for belong to the whole graph.
   */
  body(inputs: readonly ValueInfo[], make: (...inputs: Value[]) => ValueInfo & { readonly value: Value }): Graph {
    const outer = this.#nodes
    this.#nodes = []
    const name = `body_${this.#named++}`
    const own = inputs.map((input) => ({ ...input, name: `${name}:${input.name}` }))
    try {
      const { value, type, dims } = make(...own.map(({ name }) => name as Value))
      return { name, inputs: own, outputs: [{ name: value, type, dims }], initializers: [], nodes: this.#nodes }
    } finally {
      this.#nodes = outer
    }
  }

  /** @param folder where the weight files are, if any weight is external */
  build(folder?: string): BuiltGraph {
    const renamed = new Map<string, string>(this.#outputs.map(({ value, name }) => [value, name]))
    const rename = (value: string): string => renamed.get(value) ?? value
    const nodes = this.#nodes.map((node) => renameIn(node, rename))
    const initializers = [...this.#initializers.values()]
    const [name, inputs, outputs] = [this.#name, this.#inputs, this.#outputs]
    const bytes = encodeModel({ name, inputs, outputs, initializers, nodes })
    const memory = weighGraph(initializers, withBodies(nodes))
    if (folder === undefined) return { bytes, memory }
    const used = initializers.flatMap(({ name, data }) => ('file' in data ? [{ name, file: data.file }] : []))
    return {
      bytes,
      memory,
      folder,
      weightFiles: [...new Set(used.map(({ file }) => file))],
      tensors: used.map(({ name }) => name),
    }
  }

  #constant(key: string, make: (name: string) => Value): Value {
    const known = this.#constants.get(key) ?? make(key)
    this.#constants.set(key, known)
    return known
  }
}

/** The same node with other names of values, in its body as well. */
function renameIn(node: Node, rename: (value: string) => string): Node {
  const attributes = Object.entries(node.attributes).map(([name, attribute]) => {
    if (!('graph' in attribute)) return [name, attribute]
    const { graph } = attribute
    return [name, { graph: { ...graph, nodes: graph.nodes.map((inner) => renameIn(inner, rename)) } }]
  })
  return {
    ...node,
    inputs: node.inputs.map(rename),
    outputs: node.outputs.map(rename),
    attributes: Object.fromEntries(attributes) as Node['attributes'],
  }
}

/** All nodes, those of a body behind the one that runs it. */
function withBodies(nodes: readonly Node[]): Node[] {
  return nodes.flatMap((node) => [
    node,
    ...Object.values(node.attributes).flatMap((attribute) =>
      'graph' in attribute ? withBodies(attribute.graph.nodes) : [],
    ),
  ])
}
