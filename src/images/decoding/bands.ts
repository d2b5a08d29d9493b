import type { DecoderStage } from '../../graph/index.ts'
import type { Grid } from '../sampling/positions.ts'
import type { Rows } from './planes.ts'

/** A part of a picture over its whole width. */
export interface Band {
  /** Rows that are given to a graph: those of the band, and what they depend on above and below. */
  readonly given: Rows
  /** The band's own rows in what the graph makes of these. */
  readonly own: Rows
  /** Row of the whole result at which they start. */
  readonly at: number
}

/**
 * Size of the largest value that a run handles; onnxruntime holds about five of it. Bands half as high recompute twice
 * as many rows at their edges.
 */
const BAND_BYTES = 128 * 2 ** 20

/** A stage has two convolutions of 3 × 3 after a doubling that makes four rows of two, or two without one. */
const REACH = 2

/** The bands in which a stage works on features of that size. */
export function planBands(
  { inputs, outputs, scale }: Pick<DecoderStage, 'inputs' | 'outputs' | 'scale'>,
  { height, width }: Grid,
  bytes = BAND_BYTES,
): Band[] {
  const rowBytes = Math.max(inputs, outputs) * width * scale ** 2 * Float32Array.BYTES_PER_ELEMENT
  const rows = Math.max(REACH, Math.floor(bytes / rowBytes))
  const count = Math.ceil(height / rows)
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * height) / count)
    const to = Math.floor(((i + 1) * height) / count)
    const given = { from: Math.max(0, from - REACH), to: Math.min(height, to + REACH) }
    const own = { from: (from - given.from) * scale, to: (to - given.from) * scale }
    return { given, own, at: from * scale }
  })
}
