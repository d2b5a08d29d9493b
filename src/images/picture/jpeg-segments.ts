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
/** What segments of programs begin with behind their length, and the least that they have: of JFIF without a thumbnail. */
const JFIF = { marker: 0xe0, sign: toCodes('JFIF\0'), bytes: 18 }
const ADOBE = { marker: 0xee, sign: toCodes('Adobe'), bytes: 16 }
/** Where in a segment of Adobe's it is how colours were transformed: not at all (0), or as is usual for three (1) or four (2) of them. */
const TRANSFORM = 15

/**
 * From a place on to the end of the picture, or of what is there of it. What lies between segments is passed over as libjpeg does
 * that: a scan's data, and bytes that belong to nothing.
 */
export function* listSegments(bytes: Uint8Array, from: number): Generator<JpegSegment> {
  for (let at = from; (at = bytes.indexOf(0xff, at)) >= 0;) {
    const marker = bytes[at + 1]
    if (marker === undefined || marker === END_OF_IMAGE) return
    // Within a scan FF stands before a zero or a restart; before a marker there may be several.
    // Of thousands of them each would be looked for anew.
    if (marker === 0xff) while (bytes[at + 1] === 0xff) at++
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

/** C0 to CF other than C4, C8 and CC, which are tables. */
export function isFrame({ marker }: JpegSegment): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

export function isScan({ marker }: JpegSegment): boolean {
  return marker === START_OF_SCAN
}

/**
 * The same picture without what libjpeg warns of in files that are whole: bytes between segments before the first scan, a version of JFIF
 * or a transform of Adobe's that there is not, a part of the spectrum for scans that have all of it, and zeros that fill the file up before its end.
 *
 * @param isFilled whether it is filled up so: a last zero is data in others
 */
export function repairJpeg(file: Uint8Array, isFilled: boolean): Uint8Array {
  const copy = Uint8Array.from(file)
  let kept = 2
  let scans: number | undefined
  let isProgressive = false
  let dataAt = 2
  let colours = 0
  let transformAt: number | undefined
  for (const segment of listSegments(copy, 2)) {
    const { marker, at, end } = segment
    if (end > copy.length) break
    dataAt = end
    if (PROGRESSIVE.includes(marker)) isProgressive = true
    if (isFrame(segment)) colours = copy[at + 9]!
    if (isOf(JFIF, segment, copy)) copy.set([1, 2], at + 9)
    if (isScan(segment)) {
      scans ??= at
      // From the first coefficient to the last, all bits of them.
      if (!isProgressive) copy.set([0, 63, 0], end - 3)
    }
    if (scans !== undefined) continue
    if (isOf(ADOBE, segment, copy)) transformAt = kept + TRANSFORM
    copy.copyWithin(kept, at, end)
    kept += end - at
  }
  if (scans === undefined) return file
  // One that there is not is taken for the usual one of so many colours, by libjpeg too.
  if (transformAt !== undefined && copy[transformAt] !== 0) copy[transformAt] = colours === 4 ? 2 : 1
  const over = findEnd(copy, dataAt)
  const cut = isFilled ? countZeros(copy, dataAt, over) : 0
  copy.copyWithin(over - cut, over)
  copy.copyWithin(kept, scans)
  return copy.subarray(0, kept + copy.length - cut - scans)
}

/**
 * A JPEG file up to the end of its picture; others as they are. Phones put more behind it, such as the gain map of an Ultra HDR photo, by which
 * libvips takes the file for one of that format: its reader of these decodes damage to noise, and needs more memory.
 */
export function firstPicture(file: Uint8Array): Uint8Array {
  if (file[0] !== 0xff || file[1] !== 0xd8) return file
  for (const segment of listSegments(file, 2)) {
    if (isScan(segment)) return file.subarray(0, findEnd(file, segment.end) + 2)
  }
  return file
}

/** Whether a segment is one of that program's. */
function isOf(program: typeof JFIF, { marker, at, end }: JpegSegment, bytes: Uint8Array): boolean {
  const { sign } = program
  return marker === program.marker && end - at >= program.bytes && sign.every((code, i) => bytes[at + 4 + i] === code)
}

function toCodes(sign: string): number[] {
  return [...sign].map((character) => character.charCodeAt(0))
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
