import type { PictureCodec } from '../images/picture/picture-codec.ts'
import { readWebpOrientation } from './webp-orientation.ts'

const WHITE = '#ffffff'
const OPAQUE = 255

/** Pictures through the browser's own decoders and an OffscreenCanvas. */
export const canvasCodec: PictureCodec = {
  async decode(file) {
    const { width, height, data } = await drawOn(WHITE, file)
    const rgb = new Uint8Array(width * height * 3)
    copyColours(data, 4, rgb, 3)
    return { width, height, channels: 3, data: rgb }
  },
  async decodeMask(file) {
    const { width, height, data } = await drawOn(undefined, file)
    return { width, height, channels: 4, data: new Uint8Array(data.buffer) }
  },
  async encode({ width, height, channels, data }) {
    const context = createContext(width, height)
    const image = context.createImageData(width, height)
    if (channels === 4) image.data.set(data)
    else copyColours(data, channels, image.data.fill(OPAQUE), 4)
    context.putImageData(image, 0, 0)
    const file = await context.canvas.convertToBlob({ type: 'image/png' })
    return new Uint8Array(await file.arrayBuffer())
  },
}

/** Value by value: with a view of each pixel, pictures of 50 megapixels took 20 seconds to decode in place of 3. */
function copyColours(
  from: Uint8Array | Uint8ClampedArray,
  fromChannels: number,
  to: Uint8Array | Uint8ClampedArray,
  toChannels: number,
): void {
  for (let read = 0, write = 0; read < from.length; read += fromChannels, write += toChannels) {
    to[write] = from[read]!
    to[write + 1] = from[read + 1]!
    to[write + 2] = from[read + 2]!
  }
}

/** Decodes a file and draws it upright, on a colour or on nothing. */
async function drawOn(background: string | undefined, file: Uint8Array): Promise<ImageData> {
  const blob = new Blob([file as Uint8Array<ArrayBuffer>])
  const orientation = readWebpOrientation(file)
  const bitmap = await createImageBitmap(blob, {
    imageOrientation: orientation === undefined ? 'from-image' : 'none',
  })
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
  return context.getImageData(0, 0, width, height)
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

function createContext(width: number, height: number): OffscreenCanvasRenderingContext2D {
  // Read back at once, so that a canvas in the GPU's memory would only cost transfers.
  const context = new OffscreenCanvas(width, height).getContext('2d', { colorSpace: 'srgb', willReadFrequently: true })
  if (context === null) throw new Error('this browser has no 2D canvas outside of pages')
  return context
}
