import type { PixelImage } from './pixel-image.ts'

/** Weights are whole numbers with this many fractional bits, so that sums of bytes stay within 32 bits. */
const PRECISION = 22
const LOBES = 3

/** Source samples of one output sample: `weights[k]` belongs to sample `first + k`. */
interface Taps {
  readonly first: number
  readonly weights: Int32Array
}

/**
 * Resizes with the Lanczos filter of three lobes to the very bytes that Pillow before 13 gives (`Image.resize` with
 * `Resampling.LANCZOS`): first along rows, rounded to bytes, then along columns. Colours are weighted by alpha.
 */
export function resizeLanczos(image: PixelImage, width: number, height: number): PixelImage {
  if (image.width === width && image.height === height) return image
  const source = image.channels === 4 ? mapAlpha(image, premultiply) : image
  const wide = source.width === width ? source : resampleRows(source, width)
  const sized = wide.height === height ? wide : resampleColumns(wide, height)
  return image.channels === 4 ? mapAlpha(sized, unpremultiply) : sized
}

function resampleRows({ width: from, height, channels, data }: PixelImage, width: number): PixelImage {
  const resized = new Uint8Array(width * height * channels)
  for (const [x, taps] of computeTaps(from, width).entries()) {
    for (let y = 0; y < height; y++) {
      for (let channel = 0; channel < channels; channel++) {
        const start = (y * from + taps.first) * channels + channel
        resized[(y * width + x) * channels + channel] = blend(data, start, channels, taps.weights)
      }
    }
  }
  return { width, height, channels, data: resized }
}

function resampleColumns({ width, height: from, channels, data }: PixelImage, height: number): PixelImage {
  const stride = width * channels
  const resized = new Uint8Array(stride * height)
  for (const [y, taps] of computeTaps(from, height).entries()) {
    for (let i = 0; i < stride; i++) {
      resized[y * stride + i] = blend(data, taps.first * stride + i, stride, taps.weights)
    }
  }
  return { width, height, channels, data: resized }
}

function blend(data: Uint8Array, start: number, stride: number, weights: Int32Array): number {
  let sum = 1 << (PRECISION - 1)
  for (let k = 0; k < weights.length; k++) sum += data[start + k * stride]! * weights[k]!
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

function mapAlpha(image: PixelImage, change: (colour: number, alpha: number) => number): PixelImage {
  const data = new Uint8Array(image.data)
  for (let pixel = 0; pixel < data.length; pixel += 4) {
    const alpha = data[pixel + 3]!
    for (let i = pixel; i < pixel + 3; i++) data[i] = change(data[i]!, alpha)
  }
  return { ...image, data }
}

function premultiply(colour: number, alpha: number): number {
  const product = colour * alpha + 128
  return ((product >> 8) + product) >> 8
}

function unpremultiply(colour: number, alpha: number): number {
  return alpha === 0 || alpha === 255 ? colour : Math.min(Math.floor((255 * colour) / alpha), 255)
}
