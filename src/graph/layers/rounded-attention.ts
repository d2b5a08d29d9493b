import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import { add, div, minimum, mul, sub } from '../../onnx/ops/elementwise.ts'
import { BYTE, largestOf, multiplyIntegers, roundRows, roundTo8Bits, STEPS } from '../../onnx/ops/integer-products.ts'
import { softmax } from '../../onnx/ops/normalization.ts'
import { scan } from '../../onnx/ops/scan.ts'
import {
  concat,
  countRows,
  gather,
  range,
  reduceMax,
  reduceMean,
  reshape,
  reshapeLike,
  takeRows,
  transpose,
} from '../../onnx/ops/shape.ts'

/** Most query rows whose scores are in memory at a time: those of one head to 4,096 keys take 4 MB, which a cache holds. */
const BAND = 256

/** What all bands of a head read. */
interface RoundedKeys {
  /** int8 [heads, headSize, T] */
  readonly key: Value
  /** int8 [heads, T, headSize] */
  readonly value: Value
  /** What a product of a query and a key is worth: float32 [heads, T]. */
  readonly scale: Value
}

/**
 * Attention of every query row to every key row in products of 8-bit integers; query is [R, heads · headSize], key and value are
 * [T, heads · headSize], and the result is as query, all of them float32.
 *
 * Keys lose their mean, which no softmax sees, and values theirs, which is added to the result. There is a scale for each row of keys, for the
 * queries of each head and for each column of values; weights are rounded to steps of 1/255 of the largest in their row. Scores are computed one
 * head and at most `BAND` queries at a time.
 */
export function roundedAttention(
  g: GraphBuilder,
  query: Value,
  key: Value,
  value: Value,
  heads: { readonly count: number; readonly size: number },
): Value {
  const { count, size } = heads
  const perHead = (rows: Value) => reshape(g, rows, [-1, count, size])
  const mean = reduceMean(g, value, 0)
  const centred = sub(g, value, mean)
  const keys = perHead(sub(g, key, reduceMean(g, key, 0)))
  const bands = cutIntoBands(g, query, count)
  const queries = perHead(bands.rows)
  const [largestKey, largestQuery, largestValue] = [
    largestOf(g, keys, [-1]),
    largestOf(g, queries, [0, 2]),
    largestOf(g, centred, [0]),
  ]
  const worth = mul(g, mul(g, largestKey, largestQuery), g.scalar(size ** -0.5 / STEPS ** 2, 'float32'))
  const rounded = {
    key: transpose(g, roundTo8Bits(g, keys, largestKey, 'int8'), [1, 2, 0]),
    value: transpose(g, perHead(roundTo8Bits(g, centred, largestValue, 'int8')), [1, 0, 2]),
    scale: reshape(g, transpose(g, worth, [1, 0, 2]), [count, -1]),
  }
  const divided = transpose(g, roundTo8Bits(g, queries, largestQuery, 'uint8'), [1, 0, 2])
  const banded = reshapeLike(g, divided, concat(g, [g.integers([-1]), bands.length, g.integers([size])], 0))
  const attended = attendInBands(g, banded, bands.heads, rounded, size)
  const inOrder = transpose(g, reshape(g, attended, [count, -1, size]), [1, 0, 2])
  const rows = reshape(g, takeRows(g, inOrder, countRows(g, query)), [-1, count * size])
  return add(g, mul(g, rows, largestValue), mean)
}

/**
 * Rows in as few bands of the same length as there may be: `rows` with the last one repeated up to whole bands, `length` int64 [1] of a band, and
 * `heads` int64 [count · bands], the head of each band where those of a head follow each other.
 */
function cutIntoBands(g: GraphBuilder, x: Value, count: number) {
  const total = countRows(g, x)
  const one = g.integers([1])
  const bands = div(g, add(g, total, g.integers([BAND - 1])), g.integers([BAND]))
  const length = div(g, sub(g, add(g, total, bands), one), bands)
  const upTo = (end: Value) => range(g, reshape(g, end, []))
  const rows = gather(g, x, minimum(g, upTo(mul(g, bands, length)), sub(g, total, one)))
  return { rows, length, heads: div(g, upTo(mul(g, bands, g.integers([count]))), bands) }
}

/** Queries uint8 [heads · bands, B, headSize] on the keys of their heads: float32 of the same shape, still to be multiplied by the scales of values. */
function attendInBands(
  g: GraphBuilder,
  queries: Value,
  heads: Value,
  { key, value, scale }: RoundedKeys,
  size: number,
) {
  const sequences = [
    { name: 'queries', all: queries, type: 'uint8', dims: ['band', size] },
    { name: 'head', all: heads, type: 'int64', dims: [] },
  ] as const
  return scan(g, sequences, (band, head) => {
    const of = (all: Value) => gather(g, all, head)
    const weights = softmax(g, multiplyIntegers(g, band, of(key), of(scale), 'both'))
    const steps = mul(g, reduceMax(g, weights), g.scalar(1 / BYTE, 'float32'))
    const rounded = roundRows(g, weights, reshape(g, steps, [-1]))
    const products = multiplyIntegers(g, rounded, of(value), g.scalar(1 / STEPS, 'float32'), 'none')
    return { name: 'attended', value: mul(g, products, steps), type: 'float32', dims: ['band', size] }
  })
}
