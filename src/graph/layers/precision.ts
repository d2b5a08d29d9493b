import type { Precision } from '../../backends/backend.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { cast, geluTanh, mul, silu } from '../../onnx/ops/elementwise.ts'

/**
 * The type that stored products, convolutions and attention are computed in; everything between them (sums, block norms,
 * modulation, softmax written out) and every input and output but KV caches is float32, whose range no model leaves.
 * bfloat16 has no kernels on CPUs and WebGPU, none for convolutions, and no tensors in JS, so graphs with caches or
 * convolutions do not offer it.
 */
export type ComputeType = Precision | 'bfloat16'

/** What is added to a score that must not count: within the range of half precision, and finite, as −∞ would make a row of them no numbers. */
export const BLOCKED = -6e4

interface ComputeGraph {
  readonly g: GraphBuilder
  readonly precision: ComputeType
}

/** float32 values as products, convolutions and attention take them. */
export function narrow({ g, precision }: ComputeGraph, x: Value): Value {
  return precision === 'float32' ? x : cast(g, x, precision)
}

/** The result of one of those, as float32. */
export function widen({ g, precision }: ComputeGraph, x: Value): Value {
  return precision === 'float32' ? x : cast(g, x, 'float32')
}

/**
 * Products that end a half of a block reach 3.5e5 to 9e5 in Z-Image, and float16 ends at 65504. Their inputs are made
 * smaller by a power of two, which rounds nothing, and their results grow back as float32.
 */
const SHRINK = 128
/** The same in two parts, as the gated product itself leaves the range. */
const [SHRINK_GATE, SHRINK_UP] = [8, 16]

/** The input of a product that ends a half of a block, in float16 1/128 of it; {@link endBlock} takes the result. */
export function shrink(model: ComputeGraph, x: Value): Value {
  return scaleHalf(model, x, 1 / SHRINK)
}

/** The same of float32 values, which may themselves leave half precision. */
export function narrowShrunk(model: ComputeGraph, x: Value): Value {
  const { g, precision } = model
  return narrow(model, precision === 'float16' ? mul(g, x, g.scalar(1 / SHRINK, 'float32')) : x)
}

/** The activation of a gate: x · sigmoid(x), or GELU with the hyperbolic tangent in place of the error function. */
export type Activation = 'silu' | 'gelu_tanh'

/** `activation(gate) · up`, {@link shrink shrunk} */
export function gatedShrunk(model: ComputeGraph, gate: Value, up: Value, activation: Activation = 'silu'): Value {
  const { g } = model
  if (activation === 'gelu_tanh') {
    // Its cube leaves the range of half precision.
    const product = mul(g, geluTanh(g, widen(model, gate)), widen(model, up))
    return narrowShrunk(model, product)
  }
  return mul(g, scaleHalf(model, silu(g, gate), 1 / SHRINK_GATE), scaleHalf(model, up, 1 / SHRINK_UP))
}

/** The result of a product with a {@link shrink shrunk} input, at its true size in float32. */
export function endBlock(model: ComputeGraph, product: Value): Value {
  const { g, precision } = model
  const wide = widen(model, product)
  return precision === 'float16' ? mul(g, wide, g.scalar(SHRINK, 'float32')) : wide
}

function scaleHalf(model: ComputeGraph, x: Value, factor: number): Value {
  const { g, precision } = model
  return precision === 'float16' ? mul(g, x, narrow(model, g.scalar(factor, 'float32'))) : x
}
