import type { PixelImage } from '../images/picture/pixel-image.ts'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** By channels: red, green and blue, and the same with transparency. */
const COLOUR_TYPES = { 3: 2, 4: 6 } as const

/** What a value is expected to be from those left, above, and above left of it: the filters 0 to 4 of PNG. */
const PREDICTORS = [
  () => 0,
  (left: number) => left,
  (_: number, above: number) => above,
  (left: number, above: number) => (left + above) >> 1,
  predictByPaeth,
]

/**
 * A PNG file of nothing but pixels. That of a canvas has other pixels than were put there where the browser protects
 * against fingerprinting.
 */
export async function writePng(image: PixelImage): Promise<Uint8Array> {
  const { width, height, channels } = image
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, COLOUR_TYPES[channels]], 8)
  const pixels = new Blob([filterRows(image)]).stream().pipeThrough(new CompressionStream('deflate'))
  const file = new Blob([
    Uint8Array.from(SIGNATURE),
    makeChunk('IHDR', header),
    makeChunk('IDAT', new Uint8Array(await new Response(pixels).arrayBuffer())),
    makeChunk('IEND', new Uint8Array()),
  ])
  return new Uint8Array(await file.arrayBuffer())
}

/** Every row by the filter that leaves the smallest values, which compress best. */
function filterRows({ width, height, channels, data }: PixelImage): Uint8Array<ArrayBuffer> {
  const length = width * channels
  const rows = new Uint8Array(height * (length + 1))
  const tried = PREDICTORS.map(() => new Uint8Array(length))
  let above = new Uint8Array(length)
  for (let row = 0; row < height; row++) {
    const values = data.subarray(row * length, (row + 1) * length)
    const sums = PREDICTORS.map((predict, filter) => filterRow(predict, [values, above], channels, tried[filter]!))
    const best = sums.indexOf(Math.min(...sums))
    rows[row * (length + 1)] = best
    rows.set(tried[best]!, row * (length + 1) + 1)
    above = values as Uint8Array<ArrayBuffer>
  }
  return rows
}

type Predict = (left: number, above: number, corner: number) => number

/** Gives how large the values of the filtered row are together, as signed ones. */
function filterRow(
  predict: Predict,
  [values, above]: readonly [Uint8Array, Uint8Array],
  channels: number,
  filtered: Uint8Array,
): number {
  let sum = 0
  for (let at = 0; at < values.length; at++) {
    const before = at - channels
    const left = before < 0 ? 0 : values[before]!
    const corner = before < 0 ? 0 : above[before]!
    const rest = (values[at]! - predict(left, above[at]!, corner)) & 0xff
    filtered[at] = rest
    sum += rest < 128 ? rest : 256 - rest
  }
  return sum
}

/** Whichever of the three is nearest to the plane through them (PNG, section 9.4). */
function predictByPaeth(left: number, above: number, corner: number): number {
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)]
  const toCorner = Math.abs(left + above - 2 * corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}

function makeChunk(tag: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const chunk = new Uint8Array(data.length + 12)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  chunk.set(new TextEncoder().encode(tag), 4)
  chunk.set(data, 8)
  view.setUint32(8 + data.length, crc32(chunk.subarray(4, 8 + data.length)))
  return chunk
}

const CRC_OF_BYTES = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1
  return crc
})

function crc32(bytes: Uint8Array): number {
  let crc = -1
  for (const byte of bytes) crc = CRC_OF_BYTES[(crc ^ byte) & 0xff]! ^ (crc >>> 8)
  return ~crc >>> 0
}
