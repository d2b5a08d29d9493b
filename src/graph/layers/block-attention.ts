import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { multiHeadAttention } from '../../onnx/ops/attention.ts'
import { add, mul } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { softmax } from '../../onnx/ops/normalization.ts'
import { concat, gather, reshape, transpose, unsqueeze } from '../../onnx/ops/shape.ts'
import { fullAttention, type AttentionGraph, type Heads } from './full-attention.ts'
import { narrow, widen } from './precision.ts'

/** Rows that are compared with each other, so that nothing has scores of all rows with all others. */
interface AttentionBlocks {
  /** int64 [blocks, B]: the query rows of each block, filled up with rows that are not used. */
  readonly rows: Value
  /** int64 [blocks, K]: the key rows that those may see. */
  readonly span: Value
  /** float32 [blocks, B, K]: 0 where a row sees a key, else a number that leaves nothing of its weight. */
  readonly bias: Value
}

/** The rows that the local layers of a graph compare. */
export interface LocalRows {
  readonly blocks: AttentionBlocks
  /** int64 [S]: where the result of each row is in the blocks. */
  readonly order: Value
}

/**
 * The texts of a pass, each of which sees itself only: one alone, whose scores are never all in memory, or several short ones as
 * blocks.
 */
export interface TextRows {
  /** int64 [A]: the rows of a text alone; where there are several, a row that is not used. */
  readonly alone: Value
  /** A block for each of several texts; where there is one alone, a row that is not used. */
  readonly together: AttentionBlocks
  /** int64 [S]: where the result of each row is, in those of `alone` and then in the blocks. */
  readonly order: Value
}

/** Declares the inputs `text_alone`, `text_rows`, `text_bias` and `text_order` of {@link TextRows}. */
export function declareTexts(g: GraphBuilder): TextRows {
  const rows = g.input('text_rows', 'int64', ['texts', 'longest'])
  return {
    alone: g.input('text_alone', 'int64', ['alone']),
    together: { rows, span: rows, bias: g.input('text_bias', 'float32', ['texts', 'longest', 'longest']) },
    order: g.input('text_order', 'int64', ['sequence']),
  }
}

/** Declares the inputs `block_rows`, `block_span`, `block_bias` and `block_order` of {@link LocalRows}. */
export function declareLocalRows(g: GraphBuilder): LocalRows {
  return {
    blocks: {
      rows: g.input('block_rows', 'int64', ['blocks', 'block']),
      span: g.input('block_span', 'int64', ['blocks', 'span']),
      bias: g.input('block_bias', 'float32', ['blocks', 'block', 'span']),
    },
    order: g.input('block_order', 'int64', ['sequence']),
  }
}

/** Query, key and value of attention, [S, heads · headSize] each, in the model's precision. */
export interface Attended {
  readonly query: Value
  readonly key: Value
  readonly value: Value
}

/** Attention of rows to rows near them: [S, heads · headSize] as the query. */
export function localAttention(model: AttentionGraph, rows: Attended, heads: Heads, local: LocalRows): Value {
  return gather(model.g, blockAttention(model, rows, heads, local.blocks), local.order)
}

/** Attention of rows to all rows of their text: [S, heads · headSize] as the query. */
export function textAttention(model: AttentionGraph, rows: Attended, heads: Heads, texts: TextRows): Value {
  const { g } = model
  const alone = (of: Value) => gather(g, of, texts.alone)
  const single = fullAttention(model, alone(rows.query), alone(rows.key), alone(rows.value), heads)
  const several = blockAttention(model, rows, heads, texts.together)
  return gather(g, concat(g, [single, several], 0), texts.order)
}

/** [blocks · B, heads · headSize] */
function blockAttention(model: AttentionGraph, rows: Attended, heads: Heads, blocks: AttentionBlocks): Value {
  const { g } = model
  const [q, k, v] = [
    gather(g, rows.query, blocks.rows),
    gather(g, rows.key, blocks.span),
    gather(g, rows.value, blocks.span),
  ]
  const bias = unsqueeze(g, blocks.bias, 1)
  const attended =
    model.attention === 'fused'
      ? multiHeadAttention(g, q, k, v, heads.count, narrow(model, bias))
      : explicit(model, { query: q, key: k, value: v }, heads, bias)
  return reshape(g, attended, [-1, heads.count * heads.size])
}

function explicit(model: AttentionGraph, { query, key, value }: Attended, heads: Heads, bias: Value): Value {
  const { g } = model
  const divided = (rows: Value, order: readonly number[]) =>
    transpose(g, reshape(g, rows, [0, -1, heads.count, heads.size]), order)
  const scaled = mul(g, divided(query, [0, 2, 1, 3]), narrow(model, g.scalar(heads.size ** -0.5, 'float32')))
  const scores = widen(model, matMul(g, scaled, divided(key, [0, 2, 3, 1])))
  const weights = narrow(model, softmax(g, add(g, scores, bias)))
  return transpose(g, matMul(g, weights, divided(value, [0, 2, 1, 3])), [0, 2, 1, 3])
}
