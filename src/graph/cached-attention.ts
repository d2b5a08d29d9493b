import type { GraphBuilder, Value } from './graph-builder.ts'
import {
  groupQueryAttention, type GroupQueryAttentionInputs, type GroupQueryAttentionOutputs,
} from './ops/attention.ts'
import { add, cast, greater, minimum, mul, sub } from './ops/elementwise.ts'
import { matMul } from './ops/matmul.ts'
import { softmax } from './ops/normalization.ts'
import { rotaryEmbeddingAt } from './ops/rotary.ts'
import { concat, countAlong, dropAlong, range, reshape, reshapeLike, takeAlong, transpose } from './ops/shape.ts'
import type { AttentionGraph } from './full-attention.ts'
import { narrow, widen } from './precision.ts'

export interface GroupedHeads {
  readonly query: number
  readonly keyValue: number
  readonly size: number
}

type CacheInputs = Omit<GroupQueryAttentionInputs, 'query'>

/** Added to a score that must not count; finite, as -∞ would make a row of them no numbers. */
const BLOCKED = -1e9

/** Causal attention behind a KV cache, in the model's form: see {@link groupQueryAttention}. */
export function cachedAttention(
  model: AttentionGraph, inputs: GroupQueryAttentionInputs, heads: GroupedHeads,
): GroupQueryAttentionOutputs {
  return model.attention === 'fused' ? groupQueryAttention(model.g, inputs, heads) : attend(model, inputs, heads)
}

/**
 * Extends the KV cache and computes nothing else. The operator that writes the cache also attends, so it is given the
 * fewest query heads it takes (the keys themselves) and its result is left unused.
 */
export function cacheKeyValues(
  { g, attention }: AttentionGraph, inputs: CacheInputs, { keyValue, size }: GroupedHeads,
): Omit<GroupQueryAttentionOutputs, 'output'> {
  return attention === 'fused'
    ? groupQueryAttention(g, { ...inputs, query: inputs.key }, { query: keyValue, keyValue })
    : extend(g, inputs, { keyValue, size })
}

/** The products written out. Scores of every head are in memory at once: [heads, S, total]. */
function attend(
  model: AttentionGraph, inputs: GroupQueryAttentionInputs, heads: GroupedHeads,
): GroupQueryAttentionOutputs {
  const { g } = model
  const { query, keyValue, size } = heads
  const tokens = countAlong(g, inputs.query, 1)
  const total = asLength(g, inputs.totalSequenceLength)
  const { keys, values, presentKey, presentValue } = extend(g, inputs, heads)
  const rotated = rotaryEmbeddingAt(g, inputs.query, inputs.positionIds, inputs.cosCache, inputs.sinCache)
  const scaled = mul(g, toHeads(g, rotated, query, size), narrow(model, g.scalar(size ** -0.5, 'float32')))
  // Query heads that share a KV head stand one after the other, so their rows are multiplied as one matrix.
  const grouped = reshape(g, scaled, [keyValue, -1, size])
  const scores = widen(model, matMul(g, grouped, transpose(g, reshape(g, keys, [keyValue, -1, size]), [0, 2, 1])))
  const square = concat(g, [tokens, total], 0)
  const perHead = reshapeLike(g, scores, concat(g, [g.integers([query]), square], 0))
  const masked = add(g, perHead, mask(g, inputs, total, tokens))
  const { attentionBias: bias } = inputs
  const biased = bias === undefined ? masked : add(g, masked, widen(model, reshapeLike(g, bias, square)))
  const weights = narrow(model, softmax(g, biased))
  const regrouped = reshapeLike(g, weights, concat(g, [g.integers([keyValue, -1]), total], 0))
  const attended = reshape(g, matMul(g, regrouped, reshape(g, values, [keyValue, -1, size])), [query, -1, size])
  return { output: reshape(g, transpose(g, attended, [1, 0, 2]), [1, -1, query * size]), presentKey, presentValue }
}

/** Keys and values of all positions up to now, [1, kvHeads, total, size], and the caches with them in it. */
function extend(g: GraphBuilder, inputs: CacheInputs, { keyValue, size }: Omit<GroupedHeads, 'query'>) {
  const { pastKey, pastValue, positionIds, cosCache, sinCache } = inputs
  const total = asLength(g, inputs.totalSequenceLength)
  const past = sub(g, total, countAlong(g, inputs.key, 1))
  const join = (before: Value | undefined, rows: Value) => {
    const added = reshape(g, toHeads(g, rows, keyValue, size), [1, keyValue, -1, size])
    if (before === undefined) return { all: added, present: added }
    const all = concat(g, [takeAlong(g, before, past, 2), added], 2)
    return { all, present: concat(g, [all, dropAlong(g, before, total, 2)], 2) }
  }
  const key = join(pastKey, rotaryEmbeddingAt(g, inputs.key, positionIds, cosCache, sinCache))
  const value = join(pastValue, inputs.value)
  return { keys: key.all, values: value.all, presentKey: key.present, presentValue: value.present }
}

/** [S, total]: 0 where a row sees a position, that is none after its own and no padding, else `BLOCKED`. */
function mask(g: GraphBuilder, { seqlensK, totalSequenceLength }: CacheInputs, total: Value, tokens: Value): Value {
  const columns = range(g, cast(g, totalSequenceLength, 'int64'))
  const rows = dropAlong(g, columns, sub(g, total, tokens), 0)
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
