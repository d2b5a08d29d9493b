import { isFrame, isScan, listSegments } from './jpeg-segments.ts'

/** What a picture file says about itself before anything is decoded. */
export interface PictureHeader {
  /** Sides as stored, before the orientation that a camera may have noted. */
  readonly width: number
  readonly height: number
  readonly animated: boolean
  /** Passes over the picture that a JPEG file describes; each takes time for all of its pixels. */
  readonly scans?: number
  /** Segments of a JPEG file, up to one more than it may have. */
  readonly segments?: number
}

/**
 * Whole files have a few dozen, or hundreds where they hold a second picture for depth. Decoders keep each in memory of its own: a file
 * of millions, each of four bytes, would take a hundred times its size.
 */
export const MAX_SEGMENTS = 5000

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** What a JPEG begins with. A marker follows, but bytes that decoders pass over may stand before it. */
const JPEG = [0xff, 0xd8]
const START_OF_IMAGE = 0xd8

/** Undefined for what is neither PNG nor JPEG nor WebP, or ends within its header. */
export function readPictureHeader(file: Uint8Array): PictureHeader | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    if (startsWith(file, PNG)) return readPng(view)
    if (startsWith(file, JPEG)) return readJpeg(file, view)
    return readTag(view, 0) === 'RIFF' && readTag(view, 8) === 'WEBP' ? readWebp(view) : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function startsWith(file: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, index) => file[index] === byte)
}

/** An animated PNG has an `acTL` chunk before its pixels. */
function readPng(view: DataView): PictureHeader | undefined {
  if (readTag(view, 12) !== 'IHDR') return undefined
  const size = { width: view.getUint32(16), height: view.getUint32(20) }
  for (let chunk = 8; ; chunk += 12 + view.getUint32(chunk)) {
    const tag = readTag(view, chunk + 4)
    if (tag === 'acTL' || tag === 'IDAT') return { ...size, animated: tag === 'acTL' }
  }
}

/**
 * The size is in the frame header. What decoders take for the frame must be found here too: a segment read where they
 * see none would hide it behind a smaller one.
 */
function readJpeg(file: Uint8Array, view: DataView): PictureHeader | undefined {
  let size: Pick<PictureHeader, 'width' | 'height'> | undefined
  let [scans, segments] = [0, 0]
  for (const segment of listSegments(file, 2)) {
    const { marker, at } = segment
    // Before the frame there are a second start, and pixels of no size.
    if (size === undefined && (marker === START_OF_IMAGE || isScan(segment))) return undefined
    if (isFrame(segment)) size ??= { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    if (isScan(segment)) scans++
    // It is refused whatever its size.
    if (++segments > MAX_SEGMENTS) return { width: 0, height: 0, animated: false, segments, ...size }
  }
  return size && { ...size, animated: false, scans, segments }
}

/** One of three kinds: lossy, lossless, and extended, which alone can be animated. */
function readWebp(view: DataView): PictureHeader | undefined {
  const kind = readTag(view, 12)
  if (kind === 'VP8 ') {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, animated: false }
  }
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, animated: false }
  }
  if (kind !== 'VP8X') return undefined
  const read24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  return { width: read24(24) + 1, height: read24(27) + 1, animated: (view.getUint8(20) & 2) !== 0 }
}

/** Four characters, as chunks of PNG and RIFF are named by. @throws RangeError beyond the end */
export function readTag(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3))
}
