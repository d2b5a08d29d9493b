/** A segment of a JPEG file, from its marker on. */
export interface JpegSegment {
  readonly marker: number
  /** Where its marker begins. */
  readonly at: number
  /** Where it ends, which may be beyond the file. */
  readonly end: number
}

const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
/** Frames whose scans are of part of the spectrum, or of its low bits. */
const PROGRESSIVE: readonly (number | undefined)[] = [0xc2, 0xc6, 0xca, 0xce]
const APP0 = 0xe0
/** The least that such a segment has, without a thumbnail. */
const JFIF_BYTES = 18
const JFIF = [...'JFIF\0'].map((sign) => sign.charCodeAt(0))

/**
 * From a place on to the end of the picture, or of what is there of it. What lies between segments is passed over as libjpeg does
 * that: a scan's data, and bytes that belong to nothing.
 */
export function* listSegments(bytes: Uint8Array, from: number): Generator<JpegSegment> {
  for (let at = from; (at = bytes.indexOf(0xff, at)) >= 0;) {
    const marker = bytes[at + 1]
    if (marker === undefined || marker === END_OF_IMAGE) return
    // Within a scan FF stands before a zero or a restart; before a marker there may be several.
    if (marker === 0xff) at += 1
    else if (marker === 0x00 || standsAlone(marker)) at += 2
    else if (at + 4 > bytes.length) return
    else {
      const end = at + 2 + ((bytes[at + 2]! << 8) | bytes[at + 3]!)
      yield { marker, at, end }
      at = end
    }
  }
}

/** TEM and RST0 to RST7 have no length and nothing behind them. */
function standsAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
}

export function isScan({ marker }: JpegSegment): boolean {
  return marker === START_OF_SCAN
}

/**
 * The same picture without what libjpeg warns of in files that are whole: bytes between segments before the first scan, a version of JFIF
 * that there is not, a part of the spectrum for scans that have all of it, and zeros that fill the file up before its end.
 *
 * @param isFilled whether it is filled up so: a last zero is data in others
 */
export function repairJpeg(file: Uint8Array, isFilled: boolean): Uint8Array {
  const copy = Uint8Array.from(file)
  let kept = 2
  let scans: number | undefined
  let isProgressive = false
  let dataAt = 2
  for (const segment of listSegments(copy, 2)) {
    const { marker, at, end } = segment
    if (end > copy.length) break
    dataAt = end
    if (PROGRESSIVE.includes(marker)) isProgressive = true
    const isJfif = marker === APP0 && end - at >= JFIF_BYTES && JFIF.every((byte, i) => copy[at + 4 + i] === byte)
    if (isJfif) copy.set([1, 2], at + 9)
    if (isScan(segment)) {
      scans ??= at
      // From the first coefficient to the last, all bits of them.
      if (!isProgressive) copy.set([0, 63, 0], end - 3)
    }
    if (scans !== undefined) continue
    copy.copyWithin(kept, at, end)
    kept += end - at
  }
  if (scans === undefined) return file
  const over = findEnd(copy, dataAt)
  const cut = isFilled ? countZeros(copy, dataAt, over) : 0
  copy.copyWithin(over - cut, over)
  copy.copyWithin(kept, scans)
  return copy.subarray(0, kept + copy.length - cut - scans)
}

/** Where the picture whose last data begin at `from` ends. */
function findEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; (at = bytes.indexOf(0xff, at)) >= 0; at++) if (bytes[at + 1] === END_OF_IMAGE) return at
  return bytes.length
}

/** The zeros behind data: other bytes are data, of which there are too many in a file that is damaged. */
function countZeros(bytes: Uint8Array, from: number, end: number): number {
  let at = end
  while (at > from && bytes[at - 1] === 0) at--
  // The first zero behind FF belongs to it.
  return Math.max(end - at - (bytes[at - 1] === 0xff ? 1 : 0), 0)
}
