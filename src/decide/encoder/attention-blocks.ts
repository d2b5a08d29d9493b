import type { Tensor } from '../../backends/backend.ts'
import { BLOCKED } from '../../graph/index.ts'
import { int64 } from '../int64-tensor.ts'

/** The feed of a row that is not used, as a block of its own. */
const UNUSED = { rows: [0], bias: new Float32Array(1) }

/**
 * Feeds of attention of rows to their whole text, `text_alone`, `text_rows`, `text_bias` and `text_order`: texts stand one behind the other, a single
 * one without a bias, several as blocks as wide as the longest.
 *
 * @param lengths tokens of each text
 */
export function textBlocks(lengths: readonly number[]): Record<string, Tensor> {
  if (lengths.length === 1) {
    const all = Array.from({ length: lengths[0]! }, (_, row) => row)
    return {
      text_alone: int64(all, [all.length]),
      text_rows: int64(UNUSED.rows, [1, 1]),
      text_bias: { type: 'float32', dims: [1, 1, 1], data: UNUSED.bias },
      text_order: int64(all, [all.length]),
    }
  }
  const longest = Math.max(...lengths)
  const { rows, bias, order } = cut(lengths, { size: longest, margin: 0, reach: longest })
  return {
    text_alone: int64(UNUSED.rows, [1]),
    text_rows: int64(rows, [lengths.length, longest]),
    text_bias: { type: 'float32', dims: [lengths.length, longest, longest], data: bias },
    // The one row alone comes before those of the blocks.
    text_order: int64(
      order.map((place) => place + 1),
      [order.length],
    ),
  }
}

/**
 * Feeds of the local layers of an encoder, `block_rows`, `block_span`, `block_bias` and `block_order`: the rows of each text in blocks as wide as the
 * window, each with the keys of that range and half a window on both sides. Their number grows with the texts, not with the square.
 *
 * @param lengths tokens of each text
 * @param window tokens of which a row sees half before and half after itself
 */
export function localBlocks(lengths: readonly number[], window: number): Record<string, Tensor> {
  const reach = Math.floor(window / 2)
  const longest = Math.max(...lengths)
  const whole = longest <= 2 * window
  const size = whole ? longest : window
  const margin = whole ? 0 : reach
  const span = size + 2 * margin
  const { rows, keys, bias, order } = cut(lengths, { size, margin, reach })
  const blocks = rows.length / size
  return {
    block_rows: int64(rows, [blocks, size]),
    block_span: int64(keys, [blocks, span]),
    block_bias: { type: 'float32', dims: [blocks, size, span], data: bias },
    block_order: int64(order, [order.length]),
  }
}

interface BlockShape {
  /** Rows of a block. */
  readonly size: number
  /** Keys on both sides of these. */
  readonly margin: number
  /** How far from itself a row sees. */
  readonly reach: number
}

function cut(lengths: readonly number[], { size, margin, reach }: BlockShape) {
  const span = size + 2 * margin
  const blocks = lengths.reduce((sum, length) => sum + Math.ceil(length / size), 0)
  const rows: number[] = []
  const keys: number[] = []
  const order: number[] = []
  const bias = new Float32Array(blocks * size * span).fill(BLOCKED)
  let first = 0
  for (const length of lengths) {
    const inText = (place: number) => first + Math.min(length - 1, Math.max(0, place))
    for (let start = 0; start < length; start += size) {
      for (let i = 0; i < span; i++) keys.push(inText(start - margin + i))
      for (let row = start; row < start + size; row++) {
        const line = bias.subarray(rows.length * span, (rows.length + 1) * span)
        const [from, to] = [Math.max(0, row - reach), Math.min(length - 1, row + reach)]
        line.fill(0, from - start + margin, to - start + margin + 1)
        if (row < length) order.push(rows.length)
        rows.push(inText(row))
      }
    }
    first += length
  }
  return { rows, keys, bias, order }
}
