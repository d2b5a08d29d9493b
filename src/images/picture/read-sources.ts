import { InvalidRequestError, TesseraError } from '../../errors/index.ts'
import { decodeBase64 } from '../../schemas/base64.ts'
import type { ImageEditRequest } from '../../schemas/index.ts'
import { toMask } from './mask.ts'
import { nameFormat } from './name-format.ts'
import type { PictureCodec } from './picture-codec.ts'
import { MAX_SEGMENTS, type PictureHeader, readPictureHeader } from './picture-header.ts'
import type { PixelImage, Size } from './pixel-image.ts'
import { requireReferenceSize } from './reference-image.ts'

/** Pixels of all sources of a request together; 150 MB once decoded. */
export const MAX_SOURCE_PIXELS = 50_000_000

/** Encoders write up to about twenty; a small file of thousands would take minutes to decode. */
const MAX_SCANS = 100

const DATA_URL = /^data:[^,]*,/i

/**
 * Decodes the pictures of an edit request, the main one first. Sizes are read from their headers and checked before any
 * is decoded.
 *
 * @throws InvalidRequestError naming the picture: no base64, not a PNG, JPEG or WebP file, animated, damaged, of sides
 * that no model takes, of another size than its header says, or too many pixels in all
 */
export async function readSources({ image, images }: ImageEditRequest, codec: PictureCodec): Promise<PixelImage[]> {
  const sources =
    image === undefined
      ? (images ?? []).map((source, index) => ({ path: `images.${index}`, source }))
      : [{ path: 'image', source: image }]
  const files: { path: string; file: Uint8Array; header: PictureHeader }[] = []
  let pixels = 0
  for (const { path, source } of sources) {
    const file = readFile(source, path)
    const header = readHeader(file, path)
    pixels += header.width * header.height
    requirePixels(pixels, path, 'all sources together may')
    files.push({ path, file, header })
  }
  const pictures: PixelImage[] = []
  for (const { path, file, header } of files) {
    pictures.push(await decode((bytes) => codec.decode(bytes), file, header, path))
  }
  return pictures
}

/** The picture that others follow. @throws InvalidRequestError as `readSources` does */
export async function readControlPicture(source: string | Uint8Array, codec: PictureCodec): Promise<PixelImage> {
  const path = 'control.image'
  const file = readFile(source, path)
  const header = readHeader(file, path)
  requirePixels(header.width * header.height, path, 'may')
  return decode((bytes) => codec.decode(bytes), file, header, path)
}

function requirePixels(pixels: number, path: string, may: string): void {
  if (pixels <= MAX_SOURCE_PIXELS) return
  const [limit, got] = [MAX_SOURCE_PIXELS, pixels].map((count) => Math.ceil(count / 1e6))
  throw new InvalidRequestError(path, `${may} have ${limit} million pixels, got ${got}`)
}

/**
 * The mask of an edit in grey levels, white where the picture may change; undefined where there is none.
 *
 * @throws InvalidRequestError as `readSources` does, and for a mask that is not of the size of the picture
 */
export async function readMask(
  source: string | Uint8Array | undefined,
  { width, height }: PixelImage,
  codec: PictureCodec,
): Promise<PixelImage | undefined> {
  if (source === undefined) return undefined
  const file = readFile(source, 'mask')
  const header = readHeader(file, 'mask')
  const other = (got: Size) => {
    const reason = `must have the size of the first picture, ${width}x${height}, got ${got.width}x${got.height}`
    return new InvalidRequestError('mask', reason)
  }
  if (header.width * header.height !== width * height) throw other(header)
  const decoded = await decode((bytes) => codec.decodeMask(bytes), file, header, 'mask')
  if (decoded.width !== width || decoded.height !== height) throw other(decoded)
  return toMask(decoded)
}

async function decode(
  read: (file: Uint8Array) => Promise<PixelImage>,
  file: Uint8Array,
  header: PictureHeader,
  path: string,
): Promise<PixelImage> {
  const picture = await read(file).catch((cause: unknown) => {
    // Not the fault of the file.
    if (TesseraError.isInstance(cause)) throw cause
    throw new InvalidRequestError(path, 'could not be decoded: the file is damaged or incomplete', { cause })
  })
  requireSameSize(picture, header, path)
  return picture
}

function readFile(source: string | Uint8Array, path: string): Uint8Array {
  return typeof source === 'string' ? readText(source, path) : source
}

function readText(text: string, path: string): Uint8Array {
  if (/^(https?|file):/i.test(text)) {
    const reason = 'must be base64 or a data URL, got the URL of a file; nothing is fetched here, so read it first'
    throw new InvalidRequestError(path, reason)
  }
  const head = DATA_URL.exec(text.slice(0, 1000))?.[0] ?? ''
  if (head !== '' && !/;\s*base64\s*,$/i.test(head)) {
    throw new InvalidRequestError(path, 'must be a data URL in base64 (data:image/png;base64,...)')
  }
  const file = decodeBase64(text.slice(head.length))
  if (file !== undefined) return file
  throw new InvalidRequestError(
    path,
    'must be base64 or a data URL, got text with other characters; of a file, pass its bytes',
  )
}

function readHeader(file: Uint8Array, path: string): PictureHeader {
  const header = readPictureHeader(file)
  if (header === undefined) {
    throw new InvalidRequestError(path, `must be a PNG, JPEG or WebP file, got ${nameFormat(file)}`)
  }
  const { scans = 1, segments = 0 } = header
  if (segments > MAX_SEGMENTS)
    throw new InvalidRequestError(path, `must be a JPEG of at most ${MAX_SEGMENTS} segments, got more`)
  if (scans > MAX_SCANS)
    throw new InvalidRequestError(path, `must be a JPEG of at most ${MAX_SCANS} scans, got ${scans}`)
  if (header.animated) throw new InvalidRequestError(path, 'must be a still picture, got an animation')
  requireReferenceSize(header, path)
  return header
}

/** The limits were checked on the header, so that no file may get past them by showing decoders another. */
function requireSameSize({ width, height }: PixelImage, header: PictureHeader, path: string): void {
  // Turned upright, a picture may lie the other way.
  const same = header.width === width ? header.height === height : header.width === height && header.height === width
  if (same) return
  const reason = `must be of the size that its header says, ${header.width}x${header.height}, got ${width}x${height}`
  throw new InvalidRequestError(path, reason)
}
