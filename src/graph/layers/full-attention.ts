import type { AttentionForm } from '../../backends/backend.ts'
import type { Value } from '../../onnx/graph-builder.ts'
import { multiHeadAttention } from '../../onnx/ops/attention.ts'
import { mul } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { simplifiedLayerNormalization, softmax } from '../../onnx/ops/normalization.ts'
import { rotaryEmbedding } from '../../onnx/ops/rotary.ts'
import { reshape, transpose } from '../../onnx/ops/shape.ts'
import { narrow, widen } from './precision.ts'
import { roundedAttention } from './rounded-attention.ts'
import { computeWeight, type GraphContext } from './weights.ts'

/** That of the backend, or `rounded`: products of 8-bit integers, see {@link chooseAttention}. */
export type TransformerAttention = AttentionForm | 'rounded'

export interface AttentionGraph extends GraphContext {
  readonly attention: AttentionForm
}

/** A graph whose attention sees no mask. */
export interface TransformerGraph extends GraphContext {
  readonly attention: TransformerAttention
}

export interface Heads {
  readonly count: number
  readonly size: number
}

/** Tables of the tokens' rotary angles, [S, headSize / 2] each. */
export interface RotaryValues {
  readonly cos: Value
  readonly sin: Value
}

/**
 * Attention of every query row to every key row; query is [R, heads · headSize], key and value are [T, heads · headSize], and the
 * result is as query, all in the model's precision.
 */
export function fullAttention(model: TransformerGraph, query: Value, key: Value, value: Value, heads: Heads): Value {
  const { g, attention } = model
  const width = heads.count * heads.size
  if (attention === 'fused') {
    const [q, k, v] = [query, key, value].map((rows) => reshape(g, rows, [1, -1, width])) as [Value, Value, Value]
    return reshape(g, multiHeadAttention(g, q, k, v, heads.count), [-1, width])
  }
  if (attention === 'rounded') {
    const [q, k, v] = [query, key, value].map((rows) => widen(model, rows)) as [Value, Value, Value]
    return narrow(model, roundedAttention(g, q, k, v, heads))
  }
  const divided = (rows: Value, order: readonly number[]) =>
    transpose(g, reshape(g, rows, [-1, heads.count, heads.size]), order)
  const scaled = mul(g, divided(query, [1, 0, 2]), narrow(model, g.scalar(heads.size ** -0.5, 'float32')))
  const scores = widen(model, matMul(g, scaled, divided(key, [1, 2, 0])))
  const weights = narrow(model, softmax(g, scores))
  return reshape(g, transpose(g, matMul(g, weights, divided(value, [1, 0, 2])), [1, 0, 2]), [-1, width])
}

/**
 * RMSNorm of each head of [S, heads · headSize], in the model's precision, with the stored weight [headSize] of that
 * name.
 */
export function normalizeHeads(model: GraphContext, x: Value, name: string, heads: Heads, epsilon: number): Value {
  const { g } = model
  const weight = computeWeight(model, name, [heads.size])
  const normed = simplifiedLayerNormalization(g, reshape(g, x, [-1, heads.size]), weight, epsilon)
  return reshape(g, normed, [-1, heads.count * heads.size])
}

/** Rotates adjacent pairs of each head of [S, heads · headSize]; all in the model's precision. */
export function rotateHeads({ g }: GraphContext, x: Value, { cos, sin }: RotaryValues, heads: Heads): Value {
  const width = heads.count * heads.size
  return reshape(g, rotaryEmbedding(g, reshape(g, x, [1, -1, width]), cos, sin), [-1, width])
}
