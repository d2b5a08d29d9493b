import type { PixelImage, Size } from './pixel-image.ts'

/** Weights are whole numbers with this many fractional bits, so that sums of bytes stay within 32 bits. */
const PRECISION = 22
const HALF = 1 << (PRECISION - 1)
const LOBES = 3

/** Source samples of one output sample: `weights[k]` belongs to sample `first + k`. */
interface Taps {
  readonly first: number
  readonly weights: Int32Array
}

/** Others wait no longer than this for a large picture, and a photo of a phone gives them a few turns. */
const STRETCH_MS = 200

/**
 * Resizes with the Lanczos filter of three lobes to the very bytes that Pillow before 13 gives (`Image.resize` with
 * `Resampling.LANCZOS`): first along rows, rounded to bytes, then along columns. Colours are weighted by alpha.
 */
export function resizeLanczos(image: PixelImage, width: number, height: number): PixelImage {
  const rows = resample(image, width, height)
  for (;;) {
    const { done, value } = rows.next()
    if (done) return value
  }
}

/** The same of a picture that may be large, which takes seconds: others have their turns on the way. @throws what `turn` does */
export async function resizeInTurns(
  image: PixelImage,
  { width, height }: Size,
  turn: () => Promise<void>,
): Promise<PixelImage> {
  const rows = resample(image, width, height)
  let began = performance.now()
  for (;;) {
    const { done, value } = rows.next()
    if (done) return value
    if (performance.now() - began < STRETCH_MS) continue
    await turn()
    began = performance.now()
  }
}

/**
 * Row by row of the result, so that no more rows of the new width are in memory than one of the result needs. Yields behind each row that
 * it has read.
 */
function* resample(image: PixelImage, width: number, height: number): Generator<undefined, PixelImage> {
  if (image.width === width && image.height === height) return image
  const { channels } = image
  const stride = width * channels
  const resized = new Uint8Array(stride * height)
  const across = image.width === width ? undefined : computeTaps(image.width, width)
  const down = computeTaps(image.height, height)
  const kept = Math.max(...down.map(({ weights }) => weights.length))
  const rows = Array.from({ length: kept }, () => new Uint8Array(stride))
  const sums = new Int32Array(stride)
  let read = 0
  for (const [y, { first, weights }] of down.entries()) {
    for (; read < first + weights.length; read++) {
      resampleRow(image, read, across, rows[read % kept]!)
      yield
    }
    sums.fill(HALF)
    for (let k = 0; k < weights.length; k++) addRow(sums, rows[(first + k) % kept]!, weights[k]!)
    for (let i = 0; i < stride; i++) resized[y * stride + i] = toByte(sums[i]!)
  }
  return { width, height, channels, data: channels === 3 ? resized : mapAlpha(resized, unpremultiply) }
}

/** Writes one row of a picture in its new width. */
function resampleRow(image: PixelImage, y: number, taps: readonly Taps[] | undefined, row: Uint8Array): void {
  const { width, channels } = image
  const own = image.data.subarray(y * width * channels, (y + 1) * width * channels)
  const data = channels === 3 ? own : mapAlpha(own, premultiply)
  if (taps === undefined) return row.set(data)
  for (let x = 0; x < taps.length; x++) {
    const { first, weights } = taps[x]!
    let [red, green, blue, alpha] = [HALF, HALF, HALF, HALF]
    for (let k = 0, i = first * channels; k < weights.length; k++, i += channels) {
      const weight = weights[k]!
      red = (red + Math.imul(data[i]!, weight)) | 0
      green = (green + Math.imul(data[i + 1]!, weight)) | 0
      blue = (blue + Math.imul(data[i + 2]!, weight)) | 0
      if (channels === 4) alpha = (alpha + Math.imul(data[i + 3]!, weight)) | 0
    }
    const at = x * channels
    row[at] = toByte(red)
    row[at + 1] = toByte(green)
    row[at + 2] = toByte(blue)
    if (channels === 4) row[at + 3] = toByte(alpha)
  }
}

function addRow(sums: Int32Array, row: Uint8Array, weight: number): void {
  for (let i = 0; i < sums.length; i++) sums[i]! += Math.imul(row[i]!, weight)
}

function toByte(sum: number): number {
  return Math.min(Math.max(sum >> PRECISION, 0), 255)
}

function computeTaps(from: number, to: number): Taps[] {
  const scale = from / to
  const filterScale = Math.max(scale, 1)
  const support = LOBES * filterScale
  return Array.from({ length: to }, (_, x) => {
    const centre = (x + 0.5) * scale
    const first = Math.max(0, Math.trunc(centre - support + 0.5))
    const end = Math.min(from, Math.trunc(centre + support + 0.5))
    const weights = Float64Array.from({ length: end - first }, (_, k) =>
      lanczos((k + first - centre + 0.5) * (1 / filterScale)),
    )
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { first, weights: Int32Array.from(weights, (weight) => toFixedPoint(weight / sum)) }
  })
}

function lanczos(x: number): number {
  return x >= -LOBES && x < LOBES ? sinc(x) * sinc(x / LOBES) : 0
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI)
}

function toFixedPoint(weight: number): number {
  return Math.trunc(weight * 2 ** PRECISION + (weight < 0 ? -0.5 : 0.5))
}

function mapAlpha(pixels: Uint8Array, change: (colour: number, alpha: number) => number): Uint8Array {
  const data = new Uint8Array(pixels)
  for (let pixel = 0; pixel < data.length; pixel += 4) {
    const alpha = data[pixel + 3]!
    for (let i = pixel; i < pixel + 3; i++) data[i] = change(data[i]!, alpha)
  }
  return data
}

function premultiply(colour: number, alpha: number): number {
  const product = colour * alpha + 128
  return ((product >> 8) + product) >> 8
}

function unpremultiply(colour: number, alpha: number): number {
  return alpha === 0 || alpha === 255 ? colour : Math.min(Math.floor((255 * colour) / alpha), 255)
}
