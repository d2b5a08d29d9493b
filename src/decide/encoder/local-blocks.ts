import type { Tensor } from '../../backends/backend.ts'
import { int64 } from '../int64-tensor.ts'

/** Leaves nothing of a weight; within the range of half precision. */
const BLOCKED = -6e4

/**
 * Feeds of the local layers of an encoder, `block_rows`, `block_span` and `block_bias`: its rows in blocks as wide as the window, each with the keys
 * of that range and half a window on both sides. Their number grows with the text, not with its square.
 *
 * @param length tokens of the text
 * @param window tokens of which a row sees half before and half after itself
 */
export function localBlocks(length: number, window: number): Record<string, Tensor> {
  const half = Math.floor(window / 2)
  const whole = length <= 2 * window
  const size = whole ? length : window
  const margin = whole ? 0 : half
  const span = size + 2 * margin
  const blocks = Math.ceil(length / size)
  const rows: number[] = []
  const keys: number[] = []
  const bias = new Float32Array(blocks * size * span).fill(BLOCKED)
  const inText = (place: number) => Math.min(length - 1, Math.max(0, place))
  for (let block = 0; block < blocks; block++) {
    const start = block * size
    for (let i = 0; i < size; i++) rows.push(inText(start + i))
    for (let i = 0; i < span; i++) keys.push(inText(start - margin + i))
    for (let i = 0; i < size; i++) {
      const row = start + i
      const line = bias.subarray((block * size + i) * span, (block * size + i + 1) * span)
      const [from, to] = [Math.max(0, row - half), Math.min(length - 1, row + half)]
      line.fill(0, from - start + margin, to - start + margin + 1)
    }
  }
  return {
    block_rows: int64(rows, [blocks, size]),
    block_span: int64(keys, [blocks, span]),
    block_bias: { type: 'float32', dims: [blocks, size, span], data: bias },
  }
}
