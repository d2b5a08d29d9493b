import { readTag } from '../images/picture/picture-header.ts'

/** The marker before the pixels of a JPEG, and the one behind them. */
const SCAN = 0xda
const END = 0xd9

/**
 * Whether a PNG, JPEG or WebP file ends before its pixels do. Of such a file browsers other than Chromium show the pixels
 * that are there, on nothing.
 */
export function isCutOff(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    if (readTag(view, 0) === 'RIFF') return 8 + view.getUint32(4, true) > file.length
    return readTag(view, 12) === 'IHDR' ? lacksEndOfPng(view) : lacksEndOfJpeg(file, view)
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}

/** @throws RangeError where it does */
function lacksEndOfPng(view: DataView): boolean {
  let chunk = 8
  while (readTag(view, chunk + 4) !== 'IEND') chunk += 12 + view.getUint32(chunk)
  return false
}

/** @throws RangeError where there are no pixels */
function lacksEndOfJpeg(file: Uint8Array, view: DataView): boolean {
  let at = 2
  // Thumbnails, which have an end of their own, are in segments before. Any number of FF may stand before a marker.
  while (view.getUint8(at + 1) !== SCAN) at += view.getUint8(at + 1) === 0xff ? 1 : 2 + view.getUint16(at + 2)
  // Within a scan FF stands before a zero or a restart.
  for (at = file.indexOf(0xff, at); at >= 0; at = file.indexOf(0xff, at + 1)) if (file[at + 1] === END) return false
  return true
}
