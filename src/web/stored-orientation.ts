import { readTag } from '../images/picture/picture-header.ts'

/** Tag of the orientation in a TIFF directory (EXIF 2.3, section 4.6.4). */
const ORIENTATION = 0x0112
const HAS_EXIF = 8

/**
 * How a WebP or PNG file is to be turned, 1 to 8 as in EXIF: all browsers turn JPEG, none WebP, and only Chromium PNG.
 * Undefined for other files, and 1 where it says nothing that can be read.
 */
export function readStoredOrientation(file: Uint8Array): number | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    if (readTag(view, 0) === 'RIFF' && readTag(view, 8) === 'WEBP') return readWebp(view)
    if (readTag(view, 12) === 'IHDR') return readPng(view)
    return undefined
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return 1
}

function readWebp(view: DataView): number {
  // Decoders pass over a chunk that the header does not announce.
  if (readTag(view, 12) !== 'VP8X' || (view.getUint8(20) & HAS_EXIF) === 0) return 1
  let chunk = 12
  while (readTag(view, chunk) !== 'EXIF') chunk += 8 + roundUpToEven(view.getUint32(chunk + 4, true))
  return readTiff(view, chunk + 8)
}

function readPng(view: DataView): number {
  const [start] = findExif(view)
  return start === undefined ? 1 : readTiff(view, start + 8)
}

/** Where the EXIF chunk of a PNG file begins and ends, if it has one. Node's decoder reads what stands before the pixels. */
function findExif(view: DataView): [start: number, end: number] | [] {
  for (let chunk = 8; readTag(view, chunk + 4) !== 'IDAT'; chunk += 12 + view.getUint32(chunk)) {
    if (readTag(view, chunk + 4) === 'eXIf') return [chunk, chunk + 12 + view.getUint32(chunk)]
  }
  return []
}

/** The file for browsers to decode as it is stored: of a PNG without its EXIF, which Chromium follows whatever it is told. */
export function withoutOrientation(file: Uint8Array<ArrayBuffer>): Blob {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const [start, end] = readTag(view, 12) === 'IHDR' ? findExif(view) : []
  return new Blob(start === undefined ? [file] : [file.subarray(0, start), file.subarray(end)])
}

function readTiff(view: DataView, start: number): number {
  // Some writers put the header of JPEG's segment in front of it.
  const tiff = readTag(view, start) === 'Exif' ? start + 6 : start
  const little = readTag(view, tiff).startsWith('II')
  const directory = tiff + view.getUint32(tiff + 4, little)
  const entries = view.getUint16(directory, little)
  for (let entry = 0; entry < entries; entry++) {
    const at = directory + 2 + 12 * entry
    if (view.getUint16(at, little) !== ORIENTATION) continue
    const orientation = view.getUint16(at + 8, little)
    return orientation >= 1 && orientation <= 8 ? orientation : 1
  }
  return 1
}

function roundUpToEven(size: number): number {
  return size + (size % 2)
}
