import type { Value } from '../../onnx/graph-builder.ts'
import type { TextRows } from '../layers/block-attention.ts'
import type { AttentionGraph } from '../layers/full-attention.ts'

/** The parts of an encoder's graph that the heads on it use. */
export interface EncoderModel extends AttentionGraph {
  readonly movesHalf: boolean
  readonly texts: TextRows
}

/** Declares inputs and outputs on the last hidden states x [S, width] of all texts of a pass, float32. */
export type EncoderHead = (model: EncoderModel, x: Value, width: number) => void
