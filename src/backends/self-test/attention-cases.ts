import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { groupQueryAttention, multiHeadAttention } from '../../onnx/ops/attention.ts'
import { constant, float, input, integers, noise, type OperatorCase } from './operator-case.ts'
import { rotate } from './rotate.ts'

/**
 * Attention of every row to every row, on both sides of 32 and 64 rows, where kernels change their way of computing; and
 * of some rows to others with a bias, also in blocks. First the one that is soonest wrong: devices of few lanes take no
 * more then.
 */
export function attentionCases(): OperatorCase[] {
  return [
    attentionCase({ rows: 40, columns: 40, heads: 2, size: 16, biased: false }),
    attentionCase({ rows: 24, columns: 24, heads: 2, size: 64, biased: false }),
    attentionCase({ rows: 70, columns: 70, heads: 2, size: 128, biased: false }),
    attentionCase({ rows: 37, columns: 70, heads: 2, size: 64, biased: true }),
    attentionCase({ rows: 16, columns: 32, heads: 2, size: 64, biased: true, blocks: 3 }),
  ]
}

interface AttentionShape {
  /** Queries. */
  readonly rows: number
  /** Keys. */
  readonly columns: number
  readonly heads: number
  readonly size: number
  readonly biased: boolean
  /** The number of copies of these, none of which sees another. @defaultValue 1 */
  readonly blocks?: number
}

function attentionCase({ rows, columns, heads, size, biased, blocks = 1 }: AttentionShape): OperatorCase {
  const width = heads * size
  const query = sharp(noise(blocks * rows * width, 41))
  const [key, value] = [42, 43].map((seed) => noise(blocks * columns * width, seed)) as [Rows, Rows]
  const bias = noise(blocks * rows * columns, 40)
  const attended = Array.from({ length: blocks }, (_, block) => {
    const part = (of: Rows, length: number) => of.subarray(block * length * width, (block + 1) * length * width)
    const inputs = { query: part(query, rows), key: part(key, columns), value: part(value, columns) }
    const added = (row: number, column: number) => (biased ? bias[(block * rows + row) * columns + column]! : 0)
    return [...attend({ ...inputs, heads, kvHeads: heads, size }, added)]
  })
  const operand = (values: Rows) => input(float([blocks, values.length / (blocks * width), width], values))
  return {
    family: 'attention',
    operands: [
      ...[query, key, value].map(operand),
      ...(biased ? [input(float([blocks, 1, rows, columns], bias))] : []),
    ],
    build: (g, q, k, v, b?: Value) => multiHeadAttention(g, q, k, v, heads, b),
    outputs: [{ dims: [blocks, rows, width], values: attended.flat() }],
  }
}

const [HEADS, KV_HEADS, POSITIONS] = [4, 2, 128]

/**
 * Causal attention with grouped heads that fills a cache and then goes on behind it: one of fixed capacity, and one that is
 * just as long as what is in it, or a row where nothing is.
 */
export function cachedAttentionCases(): OperatorCase[] {
  return [
    cachedCase({ past: 0, capacity: 128, tokens: 70, size: 16, branches: false }),
    cachedCase({ past: 20, capacity: 128, tokens: 37, size: 64, branches: true }),
    cachedCase({ past: 60, capacity: 128, tokens: 20, size: 128, branches: false }),
    cachedCase({ past: 0, capacity: 1, tokens: 40, size: 64, branches: false }),
    cachedCase({ past: 33, capacity: 33, tokens: 37, size: 64, branches: true }),
  ]
}

interface CachedShape {
  /** Tokens in the cache before. */
  readonly past: number
  /** Tokens it has room for. */
  readonly capacity: number
  readonly tokens: number
  readonly size: number
  /** With a bias, and positions that are not in order, as packed questions have. */
  readonly branches: boolean
}

function cachedCase({ past, capacity, tokens, size, branches }: CachedShape): OperatorCase {
  const total = past + tokens
  const query = sharp(noise(tokens * HEADS * size, 44))
  const [newKey, newValue] = [45, 46].map((seed) => noise(tokens * KV_HEADS * size, seed)) as [Rows, Rows]
  const [pastKey, pastValue] = [47, 48].map((seed) => noise(past * KV_HEADS * size, seed)) as [Rows, Rows]
  const bias = noise(tokens * total, 49)
  const table = noise((POSITIONS * size) / 2, 50)
  const positions = Array.from({ length: tokens }, (_, i) => past + (branches ? i % 10 : i))
  const half = size / 2
  const angles = positions.flatMap((position) => [...table.subarray(position * half, (position + 1) * half)])
  const turned = (rows: Rows, heads: number) => rotate({ rows, heads, size, angles, interleaved: false })
  const key = join(pastKey, turned(newKey, KV_HEADS))
  const value = join(pastValue, newValue)
  const seen = (row: number, column: number) =>
    column > past + row ? -Infinity : branches ? bias[row * total + column]! : 0
  const cacheDims = [1, KV_HEADS, capacity, size]
  const present = (rows: ArrayLike<number>) => ({ dims: cacheDims, values: toCache(rows, capacity, size) })
  const before = (rows: ArrayLike<number>) => input(float(cacheDims, toCache(rows, capacity, size)))
  const rows = (values: Rows, heads: number) => input(float([1, tokens, heads * size], values))
  const angleTable = (part: (angle: number) => number) => constant(float([POSITIONS, size / 2], table.map(part)))
  return {
    family: 'cached-attention',
    operands: [
      rows(query, HEADS),
      rows(newKey, KV_HEADS),
      rows(newValue, KV_HEADS),
      before(pastKey),
      before(pastValue),
      input(integers('int32', [1], [total - 1])),
      input(integers('int32', [], [total])),
      angleTable(Math.cos),
      angleTable(Math.sin),
      input(integers('int64', [1, tokens], positions)),
      ...(branches ? [input(float([1, 1, tokens, total], bias))] : []),
    ],
    build: buildCached,
    outputs: [
      {
        dims: [1, tokens, HEADS * size],
        values: attend({ query: turned(query, HEADS), key, value, heads: HEADS, kvHeads: KV_HEADS, size }, seen),
      },
      // Of a cache that gets longer graphs ask for the rows only, as sessions do not expect another length.
      ...(capacity < total ? [undefined, undefined] : [present(key), present(value)]),
    ],
  }
}

const buildCached = (
  g: GraphBuilder,
  query: Value,
  key: Value,
  value: Value,
  pastKey: Value,
  pastValue: Value,
  seqlensK: Value,
  totalSequenceLength: Value,
  cosCache: Value,
  sinCache: Value,
  positionIds: Value,
  attentionBias?: Value,
): Value[] => {
  const past = { pastKey, pastValue, seqlensK, totalSequenceLength }
  const inputs = { query, key, value, ...past, cosCache, sinCache, positionIds, attentionBias }
  const { output, presentKey, presentValue } = groupQueryAttention(g, inputs, { query: HEADS, keyValue: KV_HEADS })
  return [output, presentKey, presentValue]
}

/** Larger queries make attention look at few rows, so that a wrong one shows. */
function sharp(rows: Rows): Rows {
  return rows.map((value) => 4 * value)
}

type Rows = Float32Array

/** Rows [total, KV_HEADS, size] as a cache [KV_HEADS, capacity, size], zeros behind them. */
function toCache(rows: ArrayLike<number>, capacity: number, size: number): Float64Array {
  const cache = new Float64Array(KV_HEADS * capacity * size)
  for (let i = 0; i < rows.length; i++) {
    const token = Math.floor(i / (KV_HEADS * size))
    const head = Math.floor(i / size) % KV_HEADS
    cache[(head * capacity + token) * size + (i % size)] = rows[i]!
  }
  return cache
}

function join(first: Float32Array, second: ArrayLike<number>): Float64Array {
  const joined = new Float64Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

interface AttentionInputs {
  /** [tokens, heads, size] */
  readonly query: Float32Array | Float64Array
  /** [total, kvHeads, size] */
  readonly key: Float32Array | Float64Array
  readonly value: Float32Array | Float64Array
  readonly heads: number
  readonly kvHeads: number
  readonly size: number
}

/** Softmax of scaled scores plus `bias(row, column)`, times the values: [tokens, heads, size]. */
function attend(
  { query, key, value, heads, kvHeads, size }: AttentionInputs,
  bias: (row: number, column: number) => number,
): Float64Array {
  const tokens = query.length / (heads * size)
  const total = key.length / (kvHeads * size)
  const result = new Float64Array(query.length)
  for (let row = 0; row < tokens; row++) {
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor(head / (heads / kvHeads))
      const from = (row * heads + head) * size
      let all = 0
      for (let column = 0; column < total; column++) {
        const other = (column * kvHeads + kvHead) * size
        let sum = 0
        for (let i = 0; i < size; i++) sum += query[from + i]! * key[other + i]!
        const weight = Math.exp(sum / Math.sqrt(size) + bias(row, column))
        for (let i = 0; i < size; i++) result[from + i]! += weight * value[other + i]!
        all += weight
      }
      for (let i = 0; i < size; i++) result[from + i]! /= all
    }
  }
  return result
}
