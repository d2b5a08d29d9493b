import { between } from './mask.ts'
import type { PixelImage } from './pixel-image.ts'

/** Pixels of a place and side, and how far its window reaches beyond it, which smooths what places say. */
const [STEP, REACH] = [4, 2]
const SIDE = STEP + 2 * REACH
/** Added to the variance of colours, in squares of levels: where colours hardly differ, nothing follows from them. */
const RIDGE = 50
/** What colours are off after the map, in levels of 255: below the first it tells what was done, above the other something else is there. */
const [TOLD, OTHER] = [6, 14]
/** Of a place: three weights for each new channel, what is added to it, and a share. */
const [ADDED, SHARE, VALUES] = [9, 12, 13]

/** How colours around each place became others: an affine map of RGB, and how much it tells of what was done there, 0 to 1. */
export interface ColorChange {
  /** In places. */
  readonly width: number
  readonly height: number
  readonly data: Float32Array
}

/**
 * Fits a map of colours to each place of two RGB pictures of one size by least squares with a ridge, as guided filters do (He, Sun and Tang,
 * Guided Image Filtering, 2010): gray is one map everywhere, a red thing made blue another one around it. Where something else is in
 * the picture than before no map fits.
 *
 * @param changed a mask, black where nothing changed: maps there have a share of 0
 */
export function fitColorChange(before: PixelImage, after: PixelImage, changed: PixelImage): ColorChange {
  const width = Math.ceil(before.width / STEP)
  const height = Math.ceil(before.height / STEP)
  const data = new Float32Array(VALUES * width * height)
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const [top, left] = [row * STEP - REACH, column * STEP - REACH]
      // Values are taken between places, so that a place beside a change counts too.
      if (isBlack(changed, top - STEP, left - STEP, SIDE + 2 * STEP)) continue
      fitPlace(measureWindow(before, after, top, left), data.subarray(VALUES * (row * width + column)))
    }
  }
  return { width, height, data }
}

/**
 * Has the colours of `source` become others as the map says, in place of those of `drawn` as far as it tells what was done: in place, as pictures
 * may be large. Both are RGB of one size, which may be larger than that of the pictures the map is of.
 */
export function applyColorChange(drawn: PixelImage, source: PixelImage, change: ColorChange): void {
  const { width, height, data } = drawn
  const places = Array.from({ length: width }, (_, column) => between(column, width, change.width))
  const starts = Int32Array.from(places, ([left]) => VALUES * left)
  const shares = Float32Array.from(places, ([, , across]) => across)
  const values = new Float32Array(VALUES * change.width)
  // What values gain from a place to the next; nothing from the last.
  const gains = new Float32Array(values.length)
  for (let row = 0; row < height; row++) {
    const [top, bottom, down] = between(row, height, change.height)
    for (let i = 0; i < values.length; i++) {
      const above = change.data[top * values.length + i]!
      values[i] = above + down * (change.data[bottom * values.length + i]! - above)
    }
    for (let i = 0; i < values.length - VALUES; i++) gains[i] = values[i + VALUES]! - values[i]!
    for (let column = 0; column < width; column++) {
      const [start, across] = [starts[column]!, shares[column]!]
      const share = values[start + SHARE]! + across * gains[start + SHARE]!
      if (share === 0) continue
      const at = 3 * (row * width + column)
      for (let channel = 0; channel < 3; channel++) {
        let level = values[start + ADDED + channel]! + across * gains[start + ADDED + channel]!
        for (let i = 0; i < 3; i++) {
          const weight = start + 3 * channel + i
          level += (values[weight]! + across * gains[weight]!) * source.data[at + i]!
        }
        const kept = Math.min(Math.max(level, 0), 255)
        data[at + channel] = Math.round(share * kept + (1 - share) * data[at + channel]!)
      }
    }
  }
}

function isBlack({ width, height, data }: PixelImage, top: number, left: number, side: number): boolean {
  for (let y = Math.max(top, 0); y < Math.min(top + side, height); y++) {
    for (let x = Math.max(left, 0); x < Math.min(left + side, width); x++) {
      if (data[3 * (y * width + x)] !== 0) return false
    }
  }
  return true
}

/** Means and variances of the colours in a window: of the three before (0 to 2) and the three after (3 to 5). */
interface Window {
  readonly means: Float64Array
  /** [6, 6], the upper half. */
  readonly covariances: Float64Array
}

function measureWindow(before: PixelImage, after: PixelImage, top: number, left: number): Window {
  const means = new Float64Array(6)
  const covariances = new Float64Array(36)
  const levels = new Float64Array(6)
  let count = 0
  for (let y = Math.max(top, 0); y < Math.min(top + SIDE, before.height); y++) {
    for (let x = Math.max(left, 0); x < Math.min(left + SIDE, before.width); x++) {
      const at = 3 * (y * before.width + x)
      for (let i = 0; i < 3; i++) {
        levels[i] = before.data[at + i]!
        levels[3 + i] = after.data[at + i]!
      }
      for (let i = 0; i < 6; i++) {
        means[i]! += levels[i]!
        for (let j = i; j < 6; j++) covariances[6 * i + j]! += levels[i]! * levels[j]!
      }
      count++
    }
  }
  for (let i = 0; i < 6; i++) means[i]! /= count
  for (let i = 0; i < 6; i++) {
    for (let j = i; j < 6; j++) covariances[6 * i + j] = covariances[6 * i + j]! / count - means[i]! * means[j]!
  }
  return { means, covariances }
}

/** Writes the map of a window, and its share. */
function fitPlace({ means, covariances }: Window, place: Float32Array): void {
  const inverse = invert(covariances)
  let unexplained = 0
  for (let channel = 0; channel < 3; channel++) {
    const after = 3 + channel
    const together = [0, 1, 2].map((i) => covariances[6 * i + after]!)
    const weights = inverse.map((row) => dot(row, together))
    place.set(weights, 3 * channel)
    place[ADDED + channel] = means[after]! - dot(weights, means)
    unexplained += covariances[7 * after]! - dot(weights, together) - RIDGE * dot(weights, weights)
  }
  const off = Math.sqrt(Math.max(unexplained, 0) / 3)
  place[SHARE] = 1 - Math.min(Math.max((off - TOLD) / (OTHER - TOLD), 0), 1)
}

/** Of the covariances of the three colours before, with the ridge: a symmetric matrix. */
function invert(covariances: Float64Array): number[][] {
  const [a, b, c] = [covariances[0]! + RIDGE, covariances[1]!, covariances[2]!]
  const [d, e, f] = [covariances[7]! + RIDGE, covariances[8]!, covariances[14]! + RIDGE]
  const rows = [
    [d * f - e * e, c * e - b * f, b * e - c * d],
    [c * e - b * f, a * f - c * c, b * c - a * e],
    [b * e - c * d, b * c - a * e, a * d - b * b],
  ]
  const determinant = dot(rows[0]!, [a, b, c])
  return rows.map((row) => row.map((value) => value / determinant))
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0]! * b[0]! + a[1]! * b[1]! + a[2]! * b[2]!
}
