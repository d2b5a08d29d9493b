import type { BuiltGraph } from '../../backends/index.ts'
import { GraphBuilder, type Value } from '../../graph/index.ts'
import { nameFormat, type TensorFormat } from '../../models/configs/quantization-config.ts'
import { quantizeRows, quantizeWholeRows } from '../../models/quantize/quantize-rows.ts'
import { matMulInt8 } from '../../onnx/ops/integer-products.ts'
import { gemm, matMulNBits } from '../../onnx/ops/matmul.ts'
import { head } from '../../onnx/ops/shape.ts'

/** The storage of weights whose products are timed. */
export type ProductFormat = 'float32' | TensorFormat

/** What weights are commonly stored as: those that `tessera pull --quantize` makes, and none. */
export const PRODUCT_FORMATS = [
  'float32',
  { bits: 8, block_size: 128 },
  { bits: 8, block_size: 'row' },
  { bits: 4, block_size: 32 },
] as const satisfies readonly ProductFormat[]

/** `float32`, `int8 in rows`, ... */
export function nameProductFormat(format: ProductFormat): string {
  return format === 'float32' ? format : nameFormat(format)
}

/** A matrix [outputs, inputs], as checkpoints store it. */
export interface ProductShape {
  readonly inputs: number
  readonly outputs: number
}

/**
 * The product of `x` [rows, inputs] with weights in that format, by the operators that models are computed with. Of the result only
 * the first column is handed over, as `y` [rows, 1]: copying all of it to new memory would take as long as a fast product.
 */
export function buildProduct(format: ProductFormat, { inputs, outputs }: ProductShape): BuiltGraph {
  const g = new GraphBuilder('product')
  const x = g.input('x', 'float32', ['rows', inputs])
  const row = Float32Array.from({ length: inputs }, (_, i) => ((i * 37) % 101) / 50 - 1)
  const product = multiply(g, x, row, format, { inputs, outputs })
  g.output('y', head(g, product, 1), 'float32', ['rows', 1])
  return g.build()
}

/** All rows of the weights are the same one, for which quantising takes no time. */
function multiply(g: GraphBuilder, x: Value, row: Float32Array, format: ProductFormat, shape: ProductShape): Value {
  const { inputs, outputs } = shape
  if (format === 'float32') return gemm(g, x, g.initializer('w', 'float32', [outputs, inputs], repeat(row, outputs)))
  const { bits, block_size: blockSize } = format
  if (blockSize === 'row') {
    const { values, scales } = quantizeWholeRows(row, inputs)
    const w = g.initializer('w', 'int8', [outputs, inputs], repeat(values, outputs))
    return matMulInt8(g, x, w, g.initializer('w.scales', 'float32', [outputs], repeat(scales, outputs)), outputs)
  }
  const { values, scales } = quantizeRows(row, inputs, { bits, blockSize })
  const blocks = scales.length
  const w = g.initializer('w', 'uint8', [outputs, blocks, values.length / blocks], repeat(values, outputs))
  const s = g.initializer('w.scales', 'float32', [outputs, blocks], repeat(scales, outputs))
  return matMulNBits(g, x, w, s, { K: inputs, N: outputs, bits, blockSize, accuracyLevel: 4 })
}

function repeat<Values extends Float32Array | Uint8Array>(row: Values, times: number): Values {
  const all = new (row.constructor as new (length: number) => Values)(row.length * times)
  for (let i = 0; i < times; i++) all.set(row, i * row.length)
  return all
}
