import type { Value } from '../../onnx/graph-builder.ts'
import { multiHeadAttention } from '../../onnx/ops/attention.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { softmax } from '../../onnx/ops/normalization.ts'
import { countRows, gather, reshape, takeRows, transpose, unsqueeze } from '../../onnx/ops/shape.ts'
import type { AttentionGraph, Heads } from './full-attention.ts'
import { narrow, widen } from './precision.ts'

/** The rows that the local layers of a graph compare, so that no layer has scores of all rows with all others. */
export interface LocalBlocks {
  /** int64 [blocks, B]: the query rows of each block; the last block is filled up with rows that are not used. */
  readonly rows: Value
  /** int64 [blocks, K]: the key rows that may be near enough to those. */
  readonly span: Value
  /** float32 [blocks, B, K]: 0 where a row sees a key, else a number that leaves nothing of its weight. */
  readonly bias: Value
}

/** Attention of rows to rows near them; query, key and value are [S, heads · headSize], and so is the result, all in the model's precision. */
export function localAttention(
  model: AttentionGraph,
  query: Value,
  key: Value,
  value: Value,
  heads: Heads,
  blocks: LocalBlocks,
): Value {
  const { g } = model
  const width = heads.count * heads.size
  const [q, k, v] = [gather(g, query, blocks.rows), gather(g, key, blocks.span), gather(g, value, blocks.span)]
  const attended =
    model.attention === 'fused' ? fused(model, q, k, v, heads, blocks) : explicit(model, q, k, v, heads, blocks)
  return takeRows(g, reshape(g, attended, [-1, width]), countRows(g, query))
}

function fused(model: AttentionGraph, q: Value, k: Value, v: Value, heads: Heads, { bias }: LocalBlocks): Value {
  return multiHeadAttention(model.g, q, k, v, heads.count, narrow(model, unsqueeze(model.g, bias, 1)))
}

function explicit(model: AttentionGraph, q: Value, k: Value, v: Value, heads: Heads, { bias }: LocalBlocks): Value {
  const { g } = model
  const divided = (rows: Value, order: readonly number[]) =>
    transpose(g, reshape(g, rows, [0, -1, heads.count, heads.size]), order)
  const scaled = mul(g, divided(q, [0, 2, 1, 3]), narrow(model, g.scalar(heads.size ** -0.5, 'float32')))
  const scores = widen(model, matMul(g, scaled, divided(k, [0, 2, 3, 1])))
  const weights = narrow(model, softmax(g, add(g, scores, unsqueeze(g, bias, 1))))
  return transpose(g, matMul(g, weights, divided(v, [0, 2, 1, 3])), [0, 2, 1, 3])
}
