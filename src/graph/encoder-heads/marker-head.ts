import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { gelu } from '../../onnx/ops/elementwise.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import { gather } from '../../onnx/ops/shape.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'
import type { EncoderHead, EncoderModel } from './encoder-head.ts'

/** The eps of `torch.nn.LayerNorm` where nothing else is said. */
const TORCH_EPSILON = 1e-5

/**
 * opendecider-nano: linear, gelu, norm, linear on the rows of the markers before the options. Input: `rows` int64 [K]; output: `logits` float32
 * [K, 1].
 */
export const openDeciderHead: EncoderHead = (model, x, width) => {
  const { g } = model
  const markers = gather(g, x, declareRows(g))
  const inner = torchNorm(model, gelu(g, dense(model, markers, '0', width, width)), '2', width)
  g.output('logits', dense(model, inner, '3', 1, width), 'float32', ['rows', 1])
}

/** The rows of a pass that a head reads. */
export function declareRows(g: GraphBuilder): Value {
  return g.input('rows', 'int64', ['rows'])
}

/** A stored `Linear` with its bias on float32 rows. */
export function dense(model: EncoderModel, x: Value, name: string, outputs: number, inputs: number): Value {
  return widen(model, affine(model, narrow(model, x), name, outputs, inputs))
}

export function torchNorm(model: EncoderModel, x: Value, name: string, width: number): Value {
  const stored = (part: string) => floatWeight(model, `${name}.${part}`, [width])
  return layerNormalization(model.g, x, stored('weight'), stored('bias'), TORCH_EPSILON)
}
