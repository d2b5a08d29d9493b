import { isScan, listSegments } from '../images/picture/jpeg-segments.ts'
import { readTag } from '../images/picture/picture-header.ts'

/** The marker behind the pixels of a JPEG. */
const END = 0xd9

/**
 * Whether a PNG, JPEG or WebP file ends before its pixels do. Of such a file browsers other than Chromium show the pixels
 * that are there, on nothing.
 */
export function isCutOff(file: Uint8Array): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  try {
    if (readTag(view, 0) === 'RIFF') return 8 + view.getUint32(4, true) > file.length
    return readTag(view, 12) === 'IHDR' ? lacksEndOfPng(view) : lacksEndOfJpeg(file)
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

function lacksEndOfJpeg(file: Uint8Array): boolean {
  for (const segment of listSegments(file, 2)) if (isScan(segment)) return lacksEnd(file, segment.end)
  return true
}

/** Thumbnails, which have an end of their own, are in segments before the pixels; within these FF stands before a zero or a restart. */
function lacksEnd(file: Uint8Array, from: number): boolean {
  for (let at = from; (at = file.indexOf(0xff, at)) >= 0; at++) if (file[at + 1] === END) return false
  return true
}
