import type { PixelImage } from './pixel-image.ts'

/**
 * How far apart levels of 255 are, in the channel that differs most, where a model has changed nothing for certain, and
 * where it has for certain.
 */
const [SAME, OTHER] = [16, 32]
/** Of the bell curve that differences are smoothed with, in pixels: single ones are errors. */
const SPREAD = 2
/** How many pixels around a change count as changed: edges of what was there before would stay as its outline. */
const MARGIN = 4

/**
 * Where a model changed its source: a mask, white where it did. The source is given as the model draws it, with all that it
 * does not know by sight lost already.
 */
export function findChanged(drawn: PixelImage, redrawn: PixelImage): PixelImage {
  const { width, height } = drawn
  const apart = Float32Array.from({ length: width * height }, (_, pixel) => {
    const level = (channel: number) => Math.abs(drawn.data[3 * pixel + channel]! - redrawn.data[3 * pixel + channel]!)
    return Math.max(level(0), level(1), level(2))
  })
  const smooth = averageRows(averageRows(apart, width), height)
  const wide = widenRows(widenRows(smooth, width), height)
  const data = new Uint8Array(3 * width * height)
  for (const [pixel, levels] of wide.entries()) {
    const share = Math.min(Math.max((levels - SAME) / (OTHER - SAME), 0), 1)
    data.fill(Math.round(255 * share), 3 * pixel, 3 * pixel + 3)
  }
  return { width, height, channels: 3, data }
}

const BELL = Float32Array.from({ length: 6 * SPREAD + 1 }, (_, i) => Math.exp(-((i / SPREAD - 3) ** 2) / 2))
const WEIGHT = BELL.reduce((sum, share) => sum + share, 0)

/** Rows of so many values, smoothed, as columns; beyond its ends a row goes on with its last values. */
function averageRows(values: Float32Array, width: number): Float32Array {
  const reach = 3 * SPREAD
  return overRows(values, width, (row, column) => {
    let sum = 0
    for (let i = 0; i < BELL.length; i++) {
      const place = Math.min(Math.max(column + i - reach, 0), width - 1)
      sum += BELL[i]! * values[row + place]!
    }
    return sum / WEIGHT
  })
}

/** Rows of so many values as columns, each value the largest of those near it. */
function widenRows(values: Float32Array, width: number): Float32Array {
  return overRows(values, width, (row, column) => {
    let most = 0
    const last = Math.min(column + MARGIN, width - 1)
    for (let place = Math.max(column - MARGIN, 0); place <= last; place++) most = Math.max(most, values[row + place]!)
    return most
  })
}

/** @param combine makes a value of those around a column of a row, which is given by the place where it begins */
function overRows(values: Float32Array, width: number, combine: (row: number, column: number) => number): Float32Array {
  const height = values.length / width
  const columns = new Float32Array(values.length)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) columns[column * height + row] = combine(row * width, column)
  }
  return columns
}
