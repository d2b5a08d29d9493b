import { DATA_TYPES, encodeModel, type Attribute, type DataType } from '../../onnx/onnx-model.ts'
import type { Precision, Tensor } from '../backend.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'

/** What stands or falls together, as `backendInfo().selfTest` names it. */
export type OperatorFamily =
  | 'product'
  | 'product-8-bit'
  | 'product-4-bit'
  | 'normalization'
  | 'softmax'
  | 'rotary'
  | 'elementwise'
  | 'layout'
  | 'convolution'
  | 'attention'
  | 'cached-attention'

/** What graphs can do without, by writing it out in other operators. */
export const REPLACEABLE: readonly OperatorFamily[] = ['attention', 'cached-attention']

/** Numbers that an output must come near to. */
export interface Reference {
  readonly dims: readonly number[]
  readonly values: ArrayLike<number>
}

/** One operator on some numbers, and what plain loops in double precision make of them. */
export interface OperatorCase {
  readonly family: OperatorFamily
  readonly opType: string
  /** @defaultValue '' (ai.onnx) */
  readonly domain?: string
  readonly attributes?: Readonly<Record<string, Attribute>>
  /** The operands in order; undefined is an optional one left out. */
  readonly operands: readonly (Operand | undefined)[]
  /** float32, in the operator's order; undefined is one that isn't compared. */
  readonly outputs: readonly (Reference | undefined)[]
  /** Largest deviation that is still right, as a share of the largest reference value. Default: `TOLERANCE`. */
  readonly tolerance?: number
}

export interface Operand {
  readonly tensor: Tensor
  /** Part of the model, as weights are: many kernels prepare those when the session opens. */
  readonly constant: boolean
}

export const input = (tensor: Tensor): Operand => ({ tensor, constant: false })
export const constant = (tensor: Tensor): Operand => ({ tensor, constant: true })

export function float(dims: readonly number[], values: ArrayLike<number>): Tensor {
  return { type: 'float32', dims, data: Float32Array.from(values) }
}

export function integers(type: 'int32' | 'int64', dims: readonly number[], values: readonly number[]): Tensor {
  return { type, dims, data: type === 'int32' ? Int32Array.from(values) : BigInt64Array.from(values, BigInt) }
}

/**
 * The model of one case: operands `x0`, `x1`, ..., outputs `y0`, `y1`, ..., all float32 or integers. In `float16` the
 * operator is between casts, its operands `h0`, `h1`, ..., its results `r0`, `r1`, ...
 */
export function buildCase(operator: OperatorCase, precision: Precision = 'float32'): BuiltGraph {
  const { opType, domain = '', attributes = {}, operands, outputs } = operator
  const describe = ({ tensor: { type, dims } }: Operand, i: number) => ({ name: `x${i}`, type: type as DataType, dims })
  const inputs = operands.flatMap((operand, i) => (operand && !operand.constant ? [describe(operand, i)] : []))
  const initializers = operands.flatMap((operand, i) => {
    if (!operand?.constant) return []
    const { buffer, byteOffset, byteLength } = operand.tensor.data
    return [{ ...describe(operand, i), data: new Uint8Array(buffer, byteOffset, byteLength) }]
  })
  const half = precision === 'float16'
  const halved = (operand: Operand | undefined) => half && operand?.tensor.type === 'float32'
  const node = {
    name: opType,
    opType,
    domain,
    attributes,
    inputs: operands.map((operand, i) => (operand ? `${halved(operand) ? 'h' : 'x'}${i}` : '')),
    outputs: outputs.map((_, i) => `${half ? 'r' : 'y'}${i}`),
  }
  const nodes = [
    ...operands.flatMap((operand, i) => (halved(operand) ? cast(`x${i}`, `h${i}`, 'float16') : [])),
    node,
    ...outputs.flatMap((output, i) => (half && output ? cast(`r${i}`, `y${i}`, 'float32') : [])),
  ]
  const made = outputs.map((output, i) => ({ name: `y${i}`, type: 'float32' as const, dims: output?.dims ?? [] }))
  const opsets = { '': 21, 'com.microsoft': 1 }
  const compared = made.filter((_, i) => outputs[i] !== undefined)
  return { bytes: encodeModel({ name: 'self-test', opsets, nodes, inputs, outputs: compared, initializers }) }
}

function cast(from: string, name: string, to: DataType) {
  const attributes = { to: { int: DATA_TYPES[to] } }
  return [{ name, opType: 'Cast', domain: '', inputs: [from], outputs: [name], attributes }]
}

export function feedsOf({ operands }: OperatorCase): Record<string, Tensor> {
  return Object.fromEntries(
    operands.flatMap((operand, i) => (operand && !operand.constant ? [[`x${i}`, operand.tensor]] : [])),
  )
}

/** `count` numbers between -1 and 1 without a pattern, the same everywhere. */
export function noise(count: number, seed: number): Float32Array {
  const values = new Float32Array(count)
  let state = (seed * 2654435761) >>> 0
  for (let i = 0; i < count; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    values[i] = state / 2 ** 31 - 1
  }
  return values
}
