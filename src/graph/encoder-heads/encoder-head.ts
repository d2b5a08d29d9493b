import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { layerNormalization } from '../../onnx/ops/normalization.ts'
import type { TextRows } from '../layers/block-attention.ts'
import type { AttentionGraph } from '../layers/full-attention.ts'
import { affine } from '../layers/linear.ts'
import { narrow, widen } from '../layers/precision.ts'
import { floatWeight } from '../layers/weights.ts'

/** The eps of `torch.nn.LayerNorm` where nothing else is said. */
const TORCH_EPSILON = 1e-5

/** The parts of an encoder's graph that the heads on it use. */
export interface EncoderModel extends AttentionGraph {
  readonly texts: TextRows
}

/** Declares inputs and outputs on the last hidden states x [S, width] of all texts of a pass, float32. */
export type EncoderHead = (model: EncoderModel, x: Value, width: number) => void

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
