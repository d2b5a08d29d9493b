import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { GraphBuilder, type Value } from '../../onnx/graph-builder.ts'
import type { DataType } from '../../onnx/onnx-model.ts'
import { cast } from '../../onnx/ops/elementwise.ts'
import type { Precision, Tensor } from '../backend.ts'
import type { OperatorFamily } from './self-test.ts'

/** Numbers that an output must come near to. */
export interface Reference {
  readonly dims: readonly number[]
  readonly values: ArrayLike<number>
}

/** One operator on some numbers, and what plain loops in double precision make of them. */
export interface OperatorCase {
  readonly family: OperatorFamily
  readonly operands: readonly Operand[]
  /** Adds the operator to a graph by the helper that models use; results of another type are cast to float32 here. */
  readonly build: (g: GraphBuilder, ...operands: Value[]) => Value | readonly Value[]
  /** Of each result in turn; undefined is one that isn't compared. */
  readonly outputs: readonly (Reference | undefined)[]
  /** Largest deviation that is still right, as a share of the largest reference value. Default: `TOLERANCE`. */
  readonly tolerance?: number
}

export type Operand =
  | { readonly kind: 'input'; readonly tensor: Tensor }
  /** Part of the model, as weights are: many kernels prepare those when the session opens. */
  | { readonly kind: 'constant'; readonly tensor: Constant }

/** A tensor of a model, which may be of types that JS does not feed. */
export interface Constant {
  readonly type: DataType
  readonly dims: readonly number[]
  readonly data: ArrayBufferView
}

export const input = (tensor: Tensor): Operand => ({ kind: 'input', tensor })
export const constant = (tensor: Constant): Operand => ({ kind: 'constant', tensor })

export function float(dims: readonly number[], values: ArrayLike<number>): Tensor {
  return { type: 'float32', dims, data: Float32Array.from(values) }
}

const INTEGERS = {
  uint8: (values: readonly number[]) => Uint8Array.from(values),
  int32: (values: readonly number[]) => Int32Array.from(values),
  int64: (values: readonly number[]) => BigInt64Array.from(values, BigInt),
}

export function integers(type: keyof typeof INTEGERS, dims: readonly number[], values: readonly number[]): Tensor {
  return { type, dims, data: INTEGERS[type](values) }
}

/** The model of one case: operands `x0`, `x1`, ..., outputs `y0`, `y1`, ... In `float16` the operator is between casts. */
export function buildCase(operator: OperatorCase, precision: Precision = 'float32'): BuiltGraph {
  const g = new GraphBuilder('self-test')
  const half = precision === 'float16'
  const operands = operator.operands.map(({ kind, tensor: { type, dims, data } }, i) => {
    const value = kind === 'input' ? g.input(`x${i}`, type, dims) : g.initializer(`x${i}`, type, dims, data)
    return half && type === 'float32' ? cast(g, value, 'float16') : value
  })
  const results = [operator.build(g, ...operands)].flat()
  for (const [i, reference] of operator.outputs.entries()) {
    if (reference === undefined) continue
    g.output(`y${i}`, half ? cast(g, results[i]!, 'float32') : results[i]!, 'float32', reference.dims)
  }
  return g.build()
}

/** The operators that a case is made of, each once. */
export function operatorsOf({ build, operands }: OperatorCase): string[] {
  const g = new GraphBuilder('self-test')
  build(g, ...operands.map(({ tensor: { type, dims } }, i) => g.input(`x${i}`, type, dims)))
  return [...new Set(g.operators)]
}

export function feedsOf({ operands }: OperatorCase): Record<string, Tensor> {
  return Object.fromEntries(
    operands.flatMap((operand, i) => (operand.kind === 'input' ? [[`x${i}`, operand.tensor]] : [])),
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
