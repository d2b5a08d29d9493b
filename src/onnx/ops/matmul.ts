import type { GraphBuilder, Value } from '../graph-builder.ts'
import { abs, add, div, mul } from './elementwise.ts'
import { reduceMax } from './shape.ts'

/** `a · bᵀ`, a [M,K] and b [N,K]: the layout that checkpoints store linear weights in. */
export function gemm(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('Gemm', [a, b], { attributes: { transB: { int: 1 } } })
}

/** `a · b + c`; a [M,K], b [K,N], c [M,N] */
export function multiplyAndAdd(g: GraphBuilder, a: Value, b: Value, c: Value): Value {
  return g.node('Gemm', [a, b, c])
}

export interface MatMulNBitsShape {
  /** Width of a row of `a`. */
  readonly K: number
  /** Width of a row of the result. */
  readonly N: number
  readonly bits: 4 | 8
  readonly blockSize: number
  /** 0 computes in the type of `a`; 4 also quantises `a` to int8 per block, which is much faster on a CPU. */
  readonly accuracyLevel: 0 | 4
}

/** `a · dequantised(b)ᵀ`; b uint8 [N, blocks, blockSize·bits/8], scales [N, blocks], zero point 2^(bits-1). */
export function matMulNBits(g: GraphBuilder, a: Value, b: Value, scales: Value, shape: MatMulNBitsShape): Value {
  const attributes = {
    K: { int: shape.K },
    N: { int: shape.N },
    bits: { int: shape.bits },
    block_size: { int: shape.blockSize },
    accuracy_level: { int: shape.accuracyLevel },
  }
  return g.node('MatMulNBits', [a, b, scales], { domain: 'com.microsoft', attributes })
}

/** Keeps a row of zeros from being divided by zero. */
const SMALLEST = 1e-30

/**
 * `a · dequantised(b)ᵀ` in integers; b int8 [N, K], scales [N]. Each row of `a` is rounded to 8 bits on its own, its
 * largest magnitude to 127. The operator wants one scale for all of them, so it gets rows of largest magnitude 1.
 */
export function matMulInt8(g: GraphBuilder, a: Value, b: Value, scales: Value, N: number): Value {
  const [step, zero] = [g.scalar(1 / 127, 'float32'), g.scalar(128, 'uint8')]
  const largest = add(g, reduceMax(g, abs(g, a)), g.scalar(SMALLEST, 'float32'))
  // Products that share `a` ask for the same again; the runtime keeps one of equal nodes.
  const rounded = g.node('QuantizeLinear', [div(g, a, largest), step, zero])
  return mul(g, gemmInt8(g, rounded, { step, zero }, b, scales, N), largest)
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

/** Products of the last two axes, the others in parallel. */
export function matMul(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('MatMul', [a, b])
}
