import type { GraphBuilder, Value } from '../graph-builder.ts'
import { DATA_TYPES, type DataType } from '../onnx-model.ts'

export function add(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Add', [a, b])
}

export function sub(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Sub', [a, b])
}

export function mul(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Mul', [a, b])
}

export function cast(g: GraphBuilder, x: Value, to: DataType): Value {
  return g.node('Cast', [x], { attributes: { to: { int: DATA_TYPES[to] } } })
}

/** `x · sigmoid(x)`, as QuickGelu with alpha 1: one fused kernel on every execution provider. */
export function silu(g: GraphBuilder, x: Value): Value {
  return g.node('QuickGelu', [x], { domain: 'com.microsoft', attributes: { alpha: { float: 1 } } })
}

/** `x · Φ(x)` with the normal distribution's Φ, by the error function. */
export function gelu(g: GraphBuilder, x: Value): Value {
  return g.node('Gelu', [x], { domain: 'com.microsoft' })
}

export function relu(g: GraphBuilder, x: Value): Value {
  return g.node('Relu', [x])
}

/** `x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))`, for float32. */
export function geluTanh(g: GraphBuilder, x: Value): Value {
  const scalar = (value: number) => g.scalar(value, 'float32')
  const cube = mul(g, mul(g, x, x), x)
  const inner = mul(g, add(g, x, mul(g, cube, scalar(0.044715))), scalar(Math.sqrt(2 / Math.PI)))
  return mul(g, mul(g, x, scalar(0.5)), add(g, tanh(g, inner), scalar(1)))
}

export function bitwiseAnd(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('BitwiseAnd', [a, b])
}

export function shiftRight(g: GraphBuilder, x: Value, bits: Value): Value {
  return g.node('BitShift', [x, bits], { attributes: { direction: { string: 'RIGHT' } } })
}

export function minimum(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Min', [a, b])
}

export function maximum(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Max', [a, b])
}

/** bool */
export function greater(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Greater', [a, b])
}

export function div(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Div', [a, b])
}

export function abs(g: GraphBuilder, x: Value): Value {
  return g.node('Abs', [x])
}

export function sqrt(g: GraphBuilder, x: Value): Value {
  return g.node('Sqrt', [x])
}

export function tanh(g: GraphBuilder, x: Value): Value {
  return g.node('Tanh', [x])
}
