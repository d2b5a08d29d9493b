import type { GraphBuilder, Value } from '../graph-builder.ts'
import { abs, add, div, mul } from './elementwise.ts'
import { reduceMax } from './shape.ts'

/** Steps that magnitudes are rounded to; with their signs these are 8 bits. */
export const STEPS = 127
/** The unsigned byte that stands for zero among values of both signs. */
const MIDDLE = 128
/** The largest unsigned byte. */
export const BYTE = 255
/** Keeps what is all zeros from being divided by zero. */
const SMALLEST = 1e-30

/** The largest magnitude over some axes, which keep a length of 1; never 0. */
export function largestOf(g: GraphBuilder, x: Value, axes: readonly number[]): Value {
  return add(g, reduceMax(g, abs(g, x), axes), g.scalar(SMALLEST, 'float32'))
}

/**
 * `x / largest` in steps of 1/127: as int8, or as uint8 with 128 for zero. {@link multiplyIntegers} takes the latter on its left and the former on
 * its right.
 *
 * @param largest magnitudes that x stays within, none of them 0
 */
export function roundTo8Bits(g: GraphBuilder, x: Value, largest: Value, type: 'int8' | 'uint8'): Value {
  const zero = g.scalar(type === 'int8' ? 0 : MIDDLE, type)
  return g.node('QuantizeLinear', [div(g, x, largest), g.scalar(1 / STEPS, 'float32'), zero])
}

/** Each row of x [R, K], none of whose values is negative, in a step of its own [R]: uint8 with 0 for zero. */
export function roundRows(g: GraphBuilder, x: Value, steps: Value): Value {
  return g.node('QuantizeLinear', [x, steps], { attributes: { axis: { int: 0 } } })
}

/**
 * `(a - zero) · b · scales` as float32; a uint8 [M, K] of values of both signs, around 128, or of none below zero; b int8 [K, N]; scales float32 [N]
 * or a scalar.
 */
export function multiplyIntegers(g: GraphBuilder, a: Value, b: Value, scales: Value, signs: 'both' | 'none'): Value {
  const zero = g.scalar(signs === 'both' ? MIDDLE : 0, 'uint8')
  const inputs = [a, b, g.scalar(1, 'float32'), scales, zero, g.scalar(0, 'int8')]
  return g.node('MatMulIntegerToFloat', inputs, { domain: 'com.microsoft' })
}

/**
 * `a · dequantised(b)ᵀ` in integers; b int8 [N, K], scales [N]. Each row of `a` is rounded to 8 bits on its own, its
 * largest magnitude to 127. The operator wants one scale for all of them, so it gets rows of largest magnitude 1.
 */
export function matMulInt8(g: GraphBuilder, a: Value, b: Value, scales: Value, N: number): Value {
  const [step, zero] = [g.scalar(1 / STEPS, 'float32'), g.scalar(MIDDLE, 'uint8')]
  // Products that share `a` ask for the same again; the runtime keeps one of equal nodes.
  const largest = largestOf(g, a, [-1])
  return mul(g, gemmInt8(g, roundTo8Bits(g, a, largest, 'uint8'), { step, zero }, b, scales, N), largest)
}

/**
 * `(a - zero) · step · (scales · b)ᵀ` as float32; a uint8 [M, K] with its scalars step (float32) and zero (uint8), b int8 [N, K],
 * scales [N].
 */
export function gemmInt8(
  g: GraphBuilder,
  a: Value,
  { step, zero }: { readonly step: Value; readonly zero: Value },
  b: Value,
  scales: Value,
  N: number,
): Value {
  // Of its own, as the runtime cannot rewrite two products that share it; see `askInt8Products`.
  const offsets = g.initializer(`${b}.offsets`, 'int8', [N], new Int8Array(N))
  const options = { domain: 'com.microsoft', attributes: { transB: { int: 1 } } }
  return g.node('QGemm', [a, step, zero, b, scales, offsets], options)
}
