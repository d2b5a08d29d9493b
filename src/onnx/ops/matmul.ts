import type { GraphBuilder, Value } from '../graph-builder.ts'

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

/** Products of the last two axes, the others in parallel. */
export function matMul(g: GraphBuilder, a: Value, b: Value): Value {
  return g.node('MatMul', [a, b])
}
