import { listSegments } from '../images/picture/jpeg-segments.ts'
import type { PictureCodec } from '../images/picture/picture-codec.ts'
import type { PixelImage } from '../images/picture/pixel-image.ts'
import { isCutOff } from './cut-off.ts'
import { createContext, readCanvas } from './read-canvas.ts'
import { readStoredOrientation, withoutOrientation } from './stored-orientation.ts'
import { writePng } from './write-png.ts'

const WHITE = '#ffffff'

/** Pictures through the browser's own decoders and an OffscreenCanvas. */
export const canvasCodec: PictureCodec = {
  async decode(file) {
    const { width, height, data } = await readUpright(WHITE, file)
    return { width, height, channels: 3, data: withoutAlpha(data) }
  },
  decodeMask: (file) => readUpright(undefined, file),
  encode: writePng,
}

/** Value by value: with a view of each pixel, pictures of 50 megapixels took 20 seconds to decode in place of 3. */
function withoutAlpha(data: Uint8Array): Uint8Array {
  const colours = new Uint8Array((data.length / 4) * 3)
  for (let read = 0, write = 0; read < data.length; read += 4, write += 3) {
    colours[write] = data[read]!
    colours[write + 1] = data[read + 1]!
    colours[write + 2] = data[read + 2]!
  }
  return colours
}

/** Decodes a file and draws it upright, on a colour or on nothing. */
async function readUpright(background: string | undefined, file: Uint8Array): Promise<PixelImage> {
  if (isCutOff(file)) throw new Error('the file ends before its pixels do')
  const blob = withoutOrientation(withoutStray(file as Uint8Array<ArrayBuffer>))
  const orientation = readStoredOrientation(file)
  const bitmap = await createImageBitmap(blob, {
    imageOrientation: orientation === undefined ? 'from-image' : 'none',
  })
  try {
    const stored = [bitmap.width, bitmap.height] as const
    const [width, height] = (orientation ?? 1) > 4 ? (stored.toReversed() as [number, number]) : stored
    const context = createContext(width, height)
    if (background !== undefined) {
      context.fillStyle = background
      context.fillRect(0, 0, width, height)
    }
    context.setTransform(...turn(orientation ?? 1, width, height))
    context.drawImage(bitmap, 0, 0)
    bitmap.close()
    return { width, height, channels: 4, data: await readCanvas(context) }
  } finally {
    // Where there was no memory for a canvas, smaller pictures may find some. Closing it twice does nothing.
    bitmap.close()
  }
}

/** Chromium knows a JPEG by the marker right behind its start; bytes between these are left out for it. */
function withoutStray(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (file[0] !== 0xff || file[1] !== 0xd8 || file[2] === 0xff) return file
  const [first] = listSegments(file, 2)
  if (first === undefined) return file
  const joined = file.slice(first.at - 2)
  joined.set([0xff, 0xd8])
  return joined
}

/** The place where a picture of that EXIF orientation is drawn, so that it stands upright on `width` × `height`. */
function turn(orientation: number, width: number, height: number): [number, number, number, number, number, number] {
  switch (orientation) {
    case 2:
      return [-1, 0, 0, 1, width, 0]
    case 3:
      return [-1, 0, 0, -1, width, height]
    case 4:
      return [1, 0, 0, -1, 0, height]
    case 5:
      return [0, 1, 1, 0, 0, 0]
    case 6:
      return [0, 1, -1, 0, width, 0]
    case 7:
      return [0, -1, -1, 0, width, height]
    case 8:
      return [0, -1, 1, 0, 0, height]
    default:
      return [1, 0, 0, 1, 0, 0]
  }
}
