import { InternalError } from '../errors/index.ts'

type Context = OffscreenCanvasRenderingContext2D
type Pixels = Uint8Array<ArrayBuffer>

/** Large enough for what is changed in few places. */
const SIDE = 32

const REFUSED =
  'this browser changes the pixels that pages read, so that sources of pictures cannot be decoded: allow this page to ' +
  'extract canvas data, or turn its protection against fingerprinting off for it'

/**
 * The pixels of a canvas, four values each; colours that are partly transparent are not to be relied on. Protection
 * against fingerprinting, as in private windows of Firefox, changes some or all of those that `getImageData` gives,
 * without a word; frames of a video are left alone.
 *
 * @throws InternalError where there is no way to them
 */
export async function readCanvas(context: Context): Promise<Pixels> {
  for (const read of [readImage, readFrame]) if (await isTrue(read)) return read(context)
  throw new InternalError(REFUSED)
}

export function createContext(width: number, height: number): Context {
  // Read back at once, so that a canvas in the GPU's memory would only cost transfers.
  const context = new OffscreenCanvas(width, height).getContext('2d', { colorSpace: 'srgb', willReadFrequently: true })
  if (context === null) throw new Error('this browser has no 2D canvas outside of pages')
  return context
}

/** Whether it gives what is known to be there, of many colours: one alone is changed by no browser. */
async function isTrue(read: (context: Context) => Pixels | Promise<Pixels>): Promise<boolean> {
  const context = createContext(SIDE, SIDE)
  const drawn = context.createImageData(SIDE, SIDE)
  for (let at = 0; at < drawn.data.length; at++) drawn.data[at] = at % 4 === 3 ? 255 : (at * 37) % 251
  context.putImageData(drawn, 0, 0)
  try {
    const pixels = await read(context)
    return drawn.data.every((level, at) => level === pixels[at])
  } catch {
    return false
  }
}

function readImage(context: Context): Pixels {
  const { width, height } = context.canvas
  return new Uint8Array(context.getImageData(0, 0, width, height).data.buffer)
}

async function readFrame({ canvas }: Context): Promise<Pixels> {
  const frame = new VideoFrame(canvas, { timestamp: 0 })
  try {
    const pixels = new Uint8Array(canvas.width * canvas.height * 4)
    await frame.copyTo(pixels, { format: 'RGBA' })
    return pixels
  } finally {
    frame.close()
  }
}
