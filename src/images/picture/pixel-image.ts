import { InternalError } from '../../errors/index.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** A picture with 8 bits per channel, rows from the top, channels interleaved; the fourth channel is alpha. */
export interface PixelImage extends Size {
  readonly channels: 3 | 4
  readonly data: Uint8Array
}

/** The middle of a picture; where the margins can't be equal the left and upper ones are smaller by a pixel. */
export function cropCentre(image: PixelImage, width: number, height: number): PixelImage {
  const { channels } = image
  const left = Math.floor((image.width - width) / 2)
  const top = Math.floor((image.height - height) / 2)
  const data = new Uint8Array(width * height * channels)
  for (let row = 0; row < height; row++) {
    const start = ((top + row) * image.width + left) * channels
    data.set(image.data.subarray(start, start + width * channels), row * width * channels)
  }
  return { width, height, channels, data }
}

/** The same the other way round: a picture in the middle of a larger one, around which the pixels of its border are repeated. */
export function extendAround(image: PixelImage, width: number, height: number): PixelImage {
  if (image.width === width && image.height === height) return image
  const { channels } = image
  const left = Math.floor((width - image.width) / 2)
  const top = Math.floor((height - image.height) / 2)
  const within = (place: number, side: number) => Math.min(Math.max(place, 0), side - 1)
  const data = new Uint8Array(width * height * channels)
  for (let row = 0; row < height; row++) {
    const start = within(row - top, image.height) * image.width
    for (let column = 0; column < width; column++) {
      const from = (start + within(column - left, image.width)) * channels
      data.set(image.data.subarray(from, from + channels), (row * width + column) * channels)
    }
  }
  return { width, height, channels, data }
}

/** Colours as float32 [3, height, width] from -1 to 1. Alpha is left out, not composited, as the references do. */
export function toPlanes({ width, height, channels, data }: PixelImage): Float32Array {
  const size = width * height
  const planes = new Float32Array(3 * size)
  for (let pixel = 0; pixel < size; pixel++) {
    for (let channel = 0; channel < 3; channel++) {
      planes[channel * size + pixel] = 2 * Math.fround(data[pixel * channels + channel]! / 255) - 1
    }
  }
  return planes
}

/**
 * Float32 [3, height, width] from -1 to 1 as 8-bit RGB, rounded half to even as the references do.
 *
 * @throws InternalError for colours that are no numbers, which would become black
 */
export function fromPlanes(planes: Float32Array, width: number, height: number): PixelImage {
  const size = width * height
  const data = new Uint8Array(3 * size)
  for (let channel = 0; channel < 3; channel++) {
    for (let pixel = 0; pixel < size; pixel++) {
      const level = Math.fround(Math.fround(planes[channel * size + pixel]! * 0.5) + 0.5)
      if (Number.isNaN(level))
        throw new InternalError(
          "the model computed colours that are no numbers; on a device of half precision the backend 'cpu' may help",
        )
      data[pixel * 3 + channel] = roundHalfToEven(Math.fround(Math.min(Math.max(level, 0), 1) * 255))
    }
  }
  return { width, height, channels: 3, data }
}

function roundHalfToEven(value: number): number {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 === 1 ? rounded - 1 : rounded
}
