import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { groupQueryAttention, type GroupQueryAttentionInputs } from '../../onnx/ops/attention.ts'
import { add, cast, greater, minimum, mul, sub } from '../../onnx/ops/elementwise.ts'
import { matMul } from '../../onnx/ops/matmul.ts'
import { softmax } from '../../onnx/ops/normalization.ts'
import { rotaryEmbeddingAt } from '../../onnx/ops/rotary.ts'
import {
  concat,
  countAlong,
  dropAlong,
  gather,
  range,
  reshape,
  reshapeLike,
  takeAlong,
  transpose,
} from '../../onnx/ops/shape.ts'
import type { AttentionGraph } from './full-attention.ts'
import { BLOCKED, narrow, widen } from './precision.ts'

export interface GroupedHeads {
  readonly query: number
  readonly keyValue: number
  readonly size: number
  /** The factor of all scores. @defaultValue 1/√size */
  readonly scale?: number
}

/** Those of the operator, with what rotates query and key. */
export type CachedAttentionInputs = GroupQueryAttentionInputs &
  Readonly<Record<'positionIds' | 'cosCache' | 'sinCache', Value>>

type RowInputs = Pick<CachedAttentionInputs, 'key' | 'value' | 'positionIds' | 'cosCache' | 'sinCache'>

/** Sizes of heads whose multiples the operator rotates itself. */
const ROTATED_WITHIN = 16

/**
 * Causal attention behind a KV cache, in the model's form; inputs and result as {@link groupQueryAttention} has them.
 *
 * @param rows int64 [R]: which of the S positions the queries [1, R, heads · headSize] are of, all of them by default. Fused operators
 * have no such form, so it is written out, which for few rows is faster than computing all.
 */
export function cachedAttention(
  model: AttentionGraph,
  inputs: CachedAttentionInputs,
  heads: GroupedHeads,
  rows?: Value,
): Value {
  if (rows !== undefined || model.attention !== 'fused') return attend(model, inputs, heads, rows)
  const { query, keyValue, size, scale } = heads
  const counts = { query, keyValue, ...(scale !== undefined && scale !== size ** -0.5 && { scale }) }
  if (size % ROTATED_WITHIN === 0) return groupQueryAttention(model.g, inputs, counts).output
  const { positionIds, cosCache, sinCache, ...rest } = inputs
  const rotate = (x: Value) => rotaryEmbeddingAt(model.g, x, positionIds, cosCache, sinCache)
  return groupQueryAttention(model.g, { ...rest, query: rotate(inputs.query), key: rotate(inputs.key) }, counts).output
}

/** The entries of this pass for a cache: keys, rotated, and values, [1, kvHeads, S, headSize] each. */
export function cacheRows(
  g: GraphBuilder,
  { key, value, positionIds, cosCache, sinCache }: RowInputs,
  { keyValue, size }: GroupedHeads,
): { readonly keys: Value; readonly values: Value } {
  const divide = (rows: Value) => reshape(g, toHeads(g, rows, keyValue, size), [1, keyValue, -1, size])
  return { keys: divide(rotaryEmbeddingAt(g, key, positionIds, cosCache, sinCache)), values: divide(value) }
}

/** The products written out. Scores of every head are in memory at once: [heads, R, total], with R = S unless there are `rows`. */
function attend(model: AttentionGraph, inputs: CachedAttentionInputs, heads: GroupedHeads, rows?: Value): Value {
  const { g } = model
  const { query, keyValue, size, scale = size ** -0.5 } = heads
  const pick = (all: Value) => (rows === undefined ? all : gather(g, all, rows))
  const total = asLength(g, inputs.totalSequenceLength)
  const past = sub(g, total, countAlong(g, inputs.key, 1))
  const added = cacheRows(g, inputs, heads)
  const keys = follow(g, inputs.pastKey, past, added.keys)
  const values = follow(g, inputs.pastValue, past, added.values)
  const positions = reshape(g, pick(reshape(g, inputs.positionIds, [-1])), [1, -1])
  const rotated = rotaryEmbeddingAt(g, inputs.query, positions, inputs.cosCache, inputs.sinCache)
  const scaled = mul(g, toHeads(g, rotated, query, size), narrow(model, g.scalar(scale, 'float32')))
  // Query heads that share a KV head stand one after the other, so their rows are multiplied as one matrix.
  const grouped = reshape(g, scaled, [keyValue, -1, size])
  const scores = widen(model, matMul(g, grouped, transpose(g, reshape(g, keys, [keyValue, -1, size]), [0, 2, 1])))
  const perHead = reshapeLike(g, scores, concat(g, [g.integers([query, -1]), total], 0))
  const masked = add(g, perHead, mask(g, inputs, past, pick))
  const { attentionBias: bias } = inputs
  const square = concat(g, [g.integers([-1]), total], 0)
  const biased = bias === undefined ? masked : add(g, masked, widen(model, pick(reshapeLike(g, bias, square))))
  const weights = narrow(model, softmax(g, biased))
  const regrouped = reshapeLike(g, weights, concat(g, [g.integers([keyValue, -1]), total], 0))
  const attended = reshape(g, matMul(g, regrouped, reshape(g, values, [keyValue, -1, size])), [query, -1, size])
  return reshape(g, transpose(g, attended, [1, 0, 2]), [1, -1, query * size])
}

/** The first `past` positions of a cache, if there is one, and `rows` behind them: [1, kvHeads, past + S, size] */
function follow(g: GraphBuilder, cache: Value | undefined, past: Value, rows: Value): Value {
  return cache === undefined ? rows : concat(g, [takeAlong(g, cache, past, 2), rows], 2)
}

/** [R, total], of the rows that are picked: 0 where one sees a position, that is none after its own and no padding, else `BLOCKED`. */
function mask(
  g: GraphBuilder,
  { seqlensK, totalSequenceLength }: GroupQueryAttentionInputs,
  past: Value,
  pick: (all: Value) => Value,
): Value {
  const columns = range(g, cast(g, totalSequenceLength, 'int64'))
  const rows = pick(dropAlong(g, columns, past, 0))
  const last = minimum(g, reshape(g, rows, [-1, 1]), cast(g, seqlensK, 'int64'))
  return mul(g, cast(g, greater(g, columns, last), 'float32'), g.scalar(BLOCKED, 'float32'))
}

/** [1, S, heads · size] to [heads, S, size] */
function toHeads(g: GraphBuilder, rows: Value, heads: number, size: number): Value {
  return transpose(g, reshape(g, rows, [-1, heads, size]), [1, 0, 2])
}

/** An int32 scalar as int64 [1]. */
function asLength(g: GraphBuilder, scalar: Value): Value {
  return reshape(g, cast(g, scalar, 'int64'), [1])
}
