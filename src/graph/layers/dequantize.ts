import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, bitwiseAnd, cast, mul, shiftRight, sub } from '../../onnx/ops/elementwise.ts'
import { concat, head, reshape, unsqueeze } from '../../onnx/ops/shape.ts'
import type { QuantizedWeight } from './weights.ts'

/**
 * Quantised rows as float32 [rows, width]. On initializers the runtime folds all of it when the session
 * loads; on gathered rows it runs for those rows only.
 */
export function dequantize(g: GraphBuilder, weight: QuantizedWeight): Value {
  if (weight.blockSize === 'row') return mul(g, cast(g, weight.values, 'float32'), unsqueeze(g, weight.scales, -1))
  const { bits, blockSize, width } = weight
  const integers = bits === 8 ? weight.values : unpackHalves(g, weight.values, blockSize)
  const centred = sub(g, cast(g, integers, 'float32'), g.scalar(2 ** (bits - 1), 'float32'))
  const product = mul(g, centred, unsqueeze(g, weight.scales, -1))
  const scaled = weight.offsets === undefined ? product : add(g, product, unsqueeze(g, weight.offsets, -1))
  const padded = Math.ceil(width / blockSize) * blockSize
  const rows = reshape(g, scaled, [-1, padded])
  return padded === width ? rows : head(g, rows, width)
}

/** [rows, blocks, blockSize / 2] bytes to [rows, blocks, blockSize] values of four bits, the low half first. */
function unpackHalves(g: GraphBuilder, bytes: Value, blockSize: number): Value {
  const low = bitwiseAnd(g, bytes, g.scalar(15, 'uint8'))
  const high = shiftRight(g, bytes, g.scalar(4, 'uint8'))
  return reshape(g, concat(g, [unsqueeze(g, low, -1), unsqueeze(g, high, -1)], -1), [0, 0, blockSize])
}
