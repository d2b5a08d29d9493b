import type { PixelImage } from './pixel-image.ts'

const OPAQUE = 255

/**
 * What a decoded mask says: grey levels from black, which stays, to white, which changes. Where a mask is transparent
 * anywhere, its transparency says it in place of its colours, as masks of OpenAI's clients do.
 */
export function toMask({ width, height, channels, data }: PixelImage): PixelImage {
  const pixels = width * height
  let transparent = false
  if (channels === 4) for (let at = 3; at < data.length && !transparent; at += 4) transparent = data[at]! < OPAQUE
  const grey = new Uint8Array(3 * pixels)
  for (let pixel = 0; pixel < pixels; pixel++) {
    const from = pixel * channels
    const level = transparent ? OPAQUE - data[from + 3]! : lightness(data, from)
    const to = 3 * pixel
    // One by one: `fill` of three bytes takes five times as long.
    grey[to] = level
    grey[to + 1] = level
    grey[to + 2] = level
  }
  return { width, height, channels: 3, data: grey }
}

/** Luma of ITU-R 601 in fixed point, as Pillow computes it. */
function lightness(data: Uint8Array, at: number): number {
  return (data[at]! * 19_595 + data[at + 1]! * 38_470 + data[at + 2]! * 7_471 + 0x8000) >> 16
}

/** Values from 0 to 1 on a grid of `height` rows, each that of the pixel at its corner, as torch's `nearest` takes it. */
export function sampleNearest(mask: PixelImage, height: number, width: number): Float32Array {
  return Float32Array.from({ length: height * width }, (_, i) => {
    const row = Math.floor((Math.floor(i / width) * mask.height) / height)
    const column = Math.floor(((i % width) * mask.width) / width)
    return levelAt(mask, row, column) / OPAQUE
  })
}

/** The same between the four pixels around the middle of each place, as torch's `bilinear` without antialiasing does. */
export function sampleBilinear(mask: PixelImage, height: number, width: number): Float32Array {
  const values = new Float32Array(height * width)
  forEachRow(mask, height, width, (row, levelOf) => {
    for (let column = 0; column < width; column++) values[row * width + column] = levelOf(column) / OPAQUE
  })
  return values
}

type Between = readonly [first: number, second: number, share: number]

/** The two pixels that a place lies between, and how far from the first. */
export function between(place: number, places: number, pixels: number): Between {
  const at = Math.max(((place + 0.5) * pixels) / places - 0.5, 0)
  const first = Math.min(Math.floor(at), pixels - 1)
  return [first, Math.min(first + 1, pixels - 1), at - first]
}

/** Rows of a mask in another size, from the top, each as the levels of its columns, taken between four pixels. */
function forEachRow(
  mask: PixelImage,
  height: number,
  width: number,
  visit: (row: number, levelOf: (column: number) => number) => void,
): void {
  const columns = Array.from({ length: width }, (_, column) => between(column, width, mask.width))
  const levels = new Float64Array(mask.width)
  const levelOf = (column: number) => {
    const [left, right, across] = columns[column]!
    return (1 - across) * levels[left]! + across * levels[right]!
  }
  for (let row = 0; row < height; row++) {
    const [top, bottom, down] = between(row, height, mask.height)
    for (let i = 0; i < levels.length; i++) {
      levels[i] = (1 - down) * levelAt(mask, top, i) + down * levelAt(mask, bottom, i)
    }
    visit(row, levelOf)
  }
}

function levelAt({ width, data }: PixelImage, row: number, column: number): number {
  return data[(row * width + column) * 3]!
}

/**
 * Leaves pixels of `drawn` where the mask is white, and writes those of `source` over them where it is black, mixed between: in
 * place, as pictures may be large. Both are RGB of one size; the mask may be smaller, and is taken between its pixels then.
 */
export function pasteThrough(drawn: PixelImage, source: PixelImage, mask: PixelImage): PixelImage {
  const { width, height, data } = drawn
  forEachRow(mask, height, width, (row, levelOf) => {
    for (let column = 0; column < width; column++) {
      const level = levelOf(column)
      if (level === OPAQUE) continue
      const at = 3 * (row * width + column)
      for (let i = at; i < at + 3; i++) {
        data[i] = Math.round((data[i]! * level + source.data[i]! * (OPAQUE - level)) / OPAQUE)
      }
    }
  })
  return drawn
}
