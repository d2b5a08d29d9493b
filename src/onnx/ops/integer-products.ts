import type { GraphBuilder, Value } from '../graph-builder.ts'
import { div } from './elementwise.ts'

/** Steps that magnitudes are rounded to; with their signs these are 8 bits. */
export const STEPS = 127
/** The unsigned byte that stands for zero among values of both signs. */
const MIDDLE = 128
/** The largest unsigned byte. */
export const BYTE = 255

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
