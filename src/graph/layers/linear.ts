import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, cast, mul } from '../../onnx/ops/elementwise.ts'
import { matMulInt8 } from '../../onnx/ops/integer-products.ts'
import { gemm, matMulNBits } from '../../onnx/ops/matmul.ts'
import { gather, reduceMean, reshape } from '../../onnx/ops/shape.ts'
import { addBranches, changesOf, isProduct, mergeProducts } from './changes.ts'
import { dequantize } from './dequantize.ts'
import { narrow, widen } from './precision.ts'
import {
  computeWeight,
  floatWeight,
  quantizedWeight,
  storedFloat,
  withoutChanges,
  type GraphContext,
} from './weights.ts'

/**
 * `x · Wᵀ` with the stored [outputs, inputs] weight of that name, whatever it is stored as, and the changes of adapters: in a
 * weight that is float32, beside the product with others. x and the result are in the model's precision.
 */
export function linear(model: GraphContext, x: Value, name: string, outputs: number, inputs: number): Value {
  const changes = changesOf(model, name, outputs, inputs)
  if (changes.length === 0) return storedProduct(model, x, name, outputs, inputs)
  const { g } = model
  const stored = withoutChanges(model)
  const weight = expandedWeight(stored, name, outputs, inputs)
  if (weight === undefined) {
    const product = storedProduct(stored, x, name, outputs, inputs)
    return addBranches(model, { x, product }, name, changes)
  }
  const product = gemm(g, x, mergeProducts(g, weight, name, changes.filter(isProduct)))
  const others = changes.filter((change) => !isProduct(change))
  return addBranches(model, { x, product }, name, others)
}

/** A weight that is float32 in memory in any case, of which a changed one takes the place. */
function expandedWeight(model: GraphContext, name: string, outputs: number, inputs: number): Value | undefined {
  if (model.precision !== 'float32') return undefined
  const quantized = quantizedWeight(model, name, outputs, inputs)
  if (quantized !== undefined) return model.linear === 'float' ? dequantize(model.g, quantized) : undefined
  const { value, type } = storedFloat(model, name, [outputs, inputs])
  return type === 'float32' ? value : undefined
}

function storedProduct(model: GraphContext, x: Value, name: string, outputs: number, inputs: number): Value {
  const { g } = model
  const quantized = quantizedWeight(model, name, outputs, inputs)
  if (quantized === undefined) return gemm(g, x, computeWeight(model, name, [outputs, inputs]))
  if (model.linear === 'float') return gemm(g, x, narrow(model, dequantize(g, quantized)))
  const rows = quantized.blockSize === 'row' ? quantized : roundedRows(model, name, outputs, inputs)
  if (rows !== undefined) return narrow(model, matMulInt8(g, widen(model, x), rows.values, rows.scales, outputs))
  if (quantized.blockSize === 'row' || 'rounded' in model.linear) {
    return gemm(g, x, narrow(model, dequantize(g, quantized)))
  }
  const { values, scales, offsets, bits, blockSize } = quantized
  const { accuracyLevel } = model.linear
  const shape = { K: inputs, N: outputs, bits, blockSize, accuracyLevel }
  const product = matMulNBits(g, x, values, narrow(model, scales), shape)
  if (offsets === undefined) return product
  return add(g, product, narrow(model, gemm(g, sumBlocks(g, widen(model, x), inputs, blockSize), offsets)))
}

/** The rows that stand for a matrix in blocks, if it was rounded to such. */
function roundedRows({ g, linear }: GraphContext, name: string, outputs: number, inputs: number) {
  const rounded = typeof linear === 'object' && 'rounded' in linear ? linear.rounded.get(name) : undefined
  // Rows whose last block is filled up are wider than the matrix.
  if (rounded?.values.length !== outputs * inputs) return undefined
  return {
    values: g.initializer(`${name}.rows`, 'int8', [outputs, inputs], rounded.values),
    scales: g.initializer(`${name}.rows.scales`, 'float32', [outputs], rounded.scales),
  }
}

/** Sums of the blocks of rows [S, width]: [S, blocks]. What is added to all values of a block meets their sum in products. */
function sumBlocks(g: GraphBuilder, x: Value, width: number, size: number): Value {
  if (width % size !== 0) throw new RangeError(`rows of ${width} values are not whole blocks of ${size} with offsets`)
  const blocks = width / size
  const means = reduceMean(g, reshape(g, x, [-1, blocks, size]), -1)
  return mul(g, reshape(g, means, [-1, blocks]), g.scalar(size, 'float32'))
}

/** {@link linear} with the stored bias [outputs]: the tensors `prefix.weight` and `prefix.bias`. */
export function affine(model: GraphContext, x: Value, prefix: string, outputs: number, inputs: number): Value {
  const product = linear(model, x, `${prefix}.weight`, outputs, inputs)
  return add(model.g, product, computeWeight(model, `${prefix}.bias`, [outputs]))
}

/** Rows `ids` of the stored [rows, width] matrix as float32; where half-precision rows can be picked, only those are expanded. */
export function gatherRows(model: GraphContext, name: string, ids: Value, rows: number, width: number): Value {
  const { g } = model
  const quantized = quantizedWeight(model, name, rows, width)
  if (quantized === undefined) {
    const { value, type } = storedFloat(model, name, [rows, width])
    if (type === 'float32' || !model.movesHalf) return gather(g, floatWeight(model, name, [rows, width]), ids)
    return cast(g, gather(g, value, ids), 'float32')
  }
  return dequantize(g, {
    ...quantized,
    values: gather(g, quantized.values, ids),
    scales: gather(g, quantized.scales, ids),
    ...('offsets' in quantized && quantized.offsets && { offsets: gather(g, quantized.offsets, ids) }),
  })
}
