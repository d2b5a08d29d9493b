import { readPictureHeader } from './picture-header.ts'

/**
 * Bytes of memory for each pixel while a file is decoded, the picture in the end included, turned upright. Measured with
 * 50 megapixels: PNG files of 8 bits and JPEG files of one scan took up to 6.
 */
const LIGHT = 6
/** WebP took 8, JPEG files of many scans 9, PNG files of 16 bits that come in passes 11. */
const HEAVY = 12

/** Where the header of a PNG file has them. */
const PNG_DEPTH = 24
const PNG_PASSES = 28
const PNG_START = 0x89

/** Bytes that decoding a picture file may take, by its header; 0 where that is damaged, as it is refused then. */
export function memoryToDecode(file: Uint8Array): number {
  const header = readPictureHeader(file)
  if (header === undefined) return 0
  const isLight = file[0] === PNG_START ? file[PNG_DEPTH]! <= 8 && file[PNG_PASSES] === 0 : header.scans === 1
  return header.width * header.height * (isLight ? LIGHT : HEAVY)
}
