import { ModelFormatError } from '../../errors/index.ts'
import { formatOf, type QuantizationConfig } from '../../models/configs/quantization-config.ts'
import type { RoundedMatrices } from '../../models/quantize/round-matrices.ts'
import type { SafetensorsType, TensorEntry, WeightIndex } from '../../models/weights/weight-index.ts'
import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import type { DataType } from '../../onnx/onnx-model.ts'
import { cast } from '../../onnx/ops/elementwise.ts'
import type { ComputeType } from './precision.ts'

/**
 * The way in which products with quantised weights are computed: on the quantised form, or after expansion to float32 at load. The level
 * is about weights in blocks; activations meet those with a scale a row in 8 bits. Of a model with `rounded` matrices these are computed
 * as such rows, and weights in blocks are expanded.
 */
export type LinearMode = { readonly accuracyLevel: 0 | 4 } | { readonly rounded: RoundedMatrices } | 'float'

/** The layers of one model share this while its graph is built. */
export interface GraphContext {
  readonly g: GraphBuilder
  readonly weights: WeightIndex
  readonly quantization: QuantizationConfig | undefined
  readonly linear: LinearMode
  readonly precision: ComputeType
  /** Whether the backend picks rows of a float16 table. */
  readonly movesHalf: boolean
}

/** A stored matrix of quantised rows, in one of the two formats of `QuantizationConfig`. */
export type QuantizedWeight = BlockWeight | RowWeight

interface BlockWeight {
  /** uint8 [rows, blocks, blockBytes] */
  readonly values: Value
  /** float32 [rows, blocks] */
  readonly scales: Value
  /** What is added to each value of a block, if anything: float32 [rows, blocks]. */
  readonly offsets: Value | undefined
  readonly bits: 4 | 8
  readonly blockSize: number
  /** Values in a row, without the padding of its last block. */
  readonly width: number
}

interface RowWeight {
  /** int8 [rows, width] */
  readonly values: Value
  /** float32 [rows] */
  readonly scales: Value
  readonly blockSize: 'row'
}

const FLOAT_TYPES: Partial<Record<SafetensorsType, DataType>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

/** A weight stored as float, in the type it is stored in. */
export function storedFloat(
  model: GraphContext,
  name: string,
  shape: readonly number[],
): { value: Value; type: DataType } {
  refuseChanged(model.weights, name)
  const entry = requireTensor(model.weights, name)
  const type = FLOAT_TYPES[entry.dtype]
  if (type === undefined) refuse(model.weights, entry, `${name} as F32, F16 or BF16`, entry.dtype)
  requireShape(model.weights, entry, name, shape)
  return { value: model.g.weight(name, { ...entry, type, dims: shape }), type }
}

/** A weight stored as float, as float32. A half-precision one is expanded when the session loads. */
export function floatWeight(model: GraphContext, name: string, shape: readonly number[]): Value {
  const { value, type } = storedFloat(model, name, shape)
  return type === 'float32' ? value : cast(model.g, value, 'float32')
}

/** A weight stored as float, in the type that products are computed in; one that is stored so stays in its file. */
export function computeWeight(model: GraphContext, name: string, shape: readonly number[]): Value {
  const { value, type } = storedFloat(model, name, shape)
  return type === model.precision ? value : cast(model.g, value, model.precision)
}

/** The quantised form of a [rows, width] weight, or nothing when it is stored as float. */
export function quantizedWeight(
  model: GraphContext,
  name: string,
  rows: number,
  width: number,
): QuantizedWeight | undefined {
  const scalesName = `${name}.scales`
  const scales = model.weights.get(scalesName)
  if (scales === undefined) return undefined
  refuseChanged(model.weights, name)
  const entry = requireTensor(model.weights, name)
  const { quantization } = model
  if (quantization === undefined) refuse(model.weights, entry, 'quantization_config in config.json', 'none')
  const { bits, block_size: blockSize } = formatOf(quantization, name)
  const stored = blockSize === 'row' ? 'I8' : 'U8'
  if (entry.dtype !== stored) refuse(model.weights, entry, `${name} as ${stored}`, entry.dtype)
  if (scales.dtype !== 'F32') refuse(model.weights, scales, `${scalesName} as F32`, scales.dtype)
  if (blockSize === 'row') {
    requireShape(model.weights, entry, name, [rows, width])
    requireShape(model.weights, scales, scalesName, [rows])
    return {
      values: model.g.weight(name, { ...entry, type: 'int8', dims: [rows, width] }),
      scales: model.g.weight(scalesName, { ...scales, type: 'float32', dims: [rows] }),
      blockSize,
    }
  }
  const blocks = Math.ceil(width / blockSize)
  const dims = [rows, blocks, (blockSize * bits) / 8]
  requireShape(model.weights, entry, name, dims)
  requireShape(model.weights, scales, scalesName, [rows, blocks])
  const offsets = model.weights.get(`${name}.offsets`)
  return {
    values: model.g.weight(name, { ...entry, type: 'uint8', dims }),
    scales: model.g.weight(scalesName, { ...scales, type: 'float32', dims: [rows, blocks] }),
    offsets: offsets && floatWeight(model, `${name}.offsets`, [rows, blocks]),
    bits,
    blockSize,
    width,
  }
}

/** @throws ModelFormatError when the checkpoint has no tensor of that name */
function requireTensor(weights: WeightIndex, name: string): TensorEntry {
  const entry = weights.get(name)
  if (entry !== undefined) return entry
  throw new ModelFormatError(weights.folder, `a tensor ${name}`, `${weights.names.length} others`)
}

/** The same, with the weights as they are stored. */
export function withoutChanges<Model extends GraphContext>(model: Model): Model {
  const { changes: _, ...weights } = model.weights
  return { ...model, weights }
}

/** Changes of a matrix are computed in whole products with it; who reads it otherwise would leave them out. */
function refuseChanged({ changes }: WeightIndex, name: string): void {
  const change = changes?.get(name)?.[0]
  if (change === undefined) return
  throw new ModelFormatError(change.file, 'changes of matrices that are computed as products', name)
}

function requireShape(weights: WeightIndex, entry: TensorEntry, name: string, shape: readonly number[]): void {
  if (entry.shape.length === shape.length && shape.every((dim, i) => dim === entry.shape[i])) return
  refuse(weights, entry, `${name} of shape [${shape}]`, `[${entry.shape}]`)
}

function refuse(weights: WeightIndex, entry: TensorEntry, expected: string, got: string): never {
  throw new ModelFormatError(`${weights.folder}/${entry.file}`, expected, got)
}
