import { matMulInt8 } from '../../onnx/ops/integer-products.ts'
import { gemm, matMul, matMulNBits } from '../../onnx/ops/matmul.ts'
import { constant, float, input, noise, type OperatorCase } from './operator-case.ts'

/** Rounds activations to int8 per block; half a percent of a product is normal. */
const ROUGH = 0.03

/** Products with weights of 32-bit floats, and of 8 and 4 bits, for one row and for many. */
export function productCases(): OperatorCase[] {
  const exact = [gemmCase(5, 70, 37), gemmCase(40, 64, 48), matMulCase(3, 20, 40, 33)]
  return [...exact, ...quantizedCases(), wholeRowsCase(1, 70, 33), wholeRowsCase(40, 96, 24)]
}

function gemmCase(rows: number, width: number, outputs: number): OperatorCase {
  const [a, b] = [noise(rows * width, 1), noise(outputs * width, 2)]
  return {
    family: 'product',
    operands: [input(float([rows, width], a)), constant(float([outputs, width], b))],
    build: (g, x, weight) => gemm(g, x, weight),
    outputs: [{ dims: [rows, outputs], values: multiply(a, b, rows, width, outputs) }],
  }
}

function matMulCase(batch: number, rows: number, width: number, outputs: number): OperatorCase {
  const a = noise(batch * rows * width, 3)
  // Transposed, as `multiply` reads it; the operator gets [batch, width, outputs].
  const transposed = noise(batch * outputs * width, 4)
  const b = new Float32Array(transposed.length)
  const values: number[] = []
  for (let i = 0; i < batch; i++) {
    const matrix = transposed.subarray(i * outputs * width, (i + 1) * outputs * width)
    matrix.forEach((value, at) => (b[i * outputs * width + (at % width) * outputs + Math.floor(at / width)] = value))
    values.push(...multiply(a.subarray(i * rows * width, (i + 1) * rows * width), matrix, rows, width, outputs))
  }
  return {
    family: 'product',
    operands: [input(float([batch, rows, width], a)), input(float([batch, width, outputs], b))],
    build: (g, x, other) => matMul(g, x, other),
    outputs: [{ dims: [batch, rows, outputs], values }],
  }
}

function quantizedCases(): OperatorCase[] {
  return ([8, 4] as const).flatMap((bits) => [
    quantizedCase(bits, { rows: 33, blockSize: 32, accuracyLevel: 0 }),
    quantizedCase(bits, { rows: 1, blockSize: 32, accuracyLevel: 4 }),
    quantizedCase(bits, { rows: 33, blockSize: 128, accuracyLevel: 4 }),
  ])
}

interface QuantizedShape {
  readonly rows: number
  readonly blockSize: number
  readonly accuracyLevel: 0 | 4
}

function quantizedCase(bits: 4 | 8, { rows, blockSize, accuracyLevel }: QuantizedShape): OperatorCase {
  const [width, outputs] = [256, 24]
  const blocks = width / blockSize
  const a = noise(rows * width, 5)
  const bytes = Uint8Array.from(noise((outputs * width * bits) / 8, 6), (value) => (value + 1) * 127.9)
  const scales = noise(outputs * blocks, 7)
  const zero = 2 ** (bits - 1)
  const weights = new Float64Array(outputs * width)
  for (let i = 0; i < weights.length; i++) {
    const stored = bits === 8 ? bytes[i]! : (bytes[i >> 1]! >> (4 * (i % 2))) & 15
    weights[i] = (stored - zero) * scales[Math.floor(i / blockSize)]!
  }
  return {
    family: `product-${bits}-bit`,
    operands: [
      input(float([rows, width], a)),
      constant({ type: 'uint8', dims: [outputs, blocks, (blockSize * bits) / 8], data: bytes }),
      constant(float([outputs, blocks], scales)),
    ],
    build: (g, x, weight, steps) =>
      matMulNBits(g, x, weight, steps, { K: width, N: outputs, bits, blockSize, accuracyLevel }),
    outputs: [{ dims: [rows, outputs], values: multiply(a, weights, rows, width, outputs) }],
    ...(accuracyLevel === 4 && { tolerance: ROUGH }),
  }
}

/** Rows of very different sizes, which are rounded each by itself. */
function wholeRowsCase(rows: number, width: number, outputs: number): OperatorCase {
  const a = noise(rows * width, 8).map((value, i) => value * 10 ** (Math.floor(i / width) % 3))
  const stored = Int8Array.from(noise(outputs * width, 9), (value) => 127 * value)
  const scales = noise(outputs, 10)
  const weights = Float64Array.from(stored, (value, i) => value * scales[Math.floor(i / width)]!)
  return {
    family: 'product-8-bit',
    operands: [
      input(float([rows, width], a)),
      constant({ type: 'int8', dims: [outputs, width], data: stored }),
      constant(float([outputs], scales)),
    ],
    build: (g, x, weight, steps) => matMulInt8(g, x, weight, steps, outputs),
    outputs: [{ dims: [rows, outputs], values: multiply(a, weights, rows, width, outputs) }],
    tolerance: ROUGH,
  }
}

/** a [rows, width] · bᵀ, b [outputs, width] */
function multiply(
  a: Float32Array,
  b: Float32Array | Float64Array,
  rows: number,
  width: number,
  outputs: number,
): Float64Array {
  const product = new Float64Array(rows * outputs)
  for (let at = 0; at < product.length; at++) {
    const row = Math.floor(at / outputs) * width
    const column = (at % outputs) * width
    let sum = 0
    for (let i = 0; i < width; i++) sum += a[row + i]! * b[column + i]!
    product[at] = sum
  }
  return product
}
