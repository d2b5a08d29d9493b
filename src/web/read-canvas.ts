import { InternalError } from '../errors/index.ts'

type Context = OffscreenCanvasRenderingContext2D
type Pixels = Uint8Array<ArrayBuffer>

/** Large enough for what is changed in few places. */
const SIDE = 32

const REFUSED =
  'this browser changes the pixels that pages read, so that sources of pictures cannot be decoded: allow this page to ' +
  'extract canvas data, or turn its protection against fingerprinting off for it'

const ABSENT =
  'this browser has no 2D canvas outside of pages (OffscreenCanvas), so that sources of pictures cannot be decoded: ' +
  'take one of the browsers in docs/browsers.md'

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

/** @throws InternalError where the browser has no such canvas, which is no fault of a picture */
export function createContext(width: number, height: number): Context {
  const hasCanvas = typeof OffscreenCanvas === 'function'
  // Read back at once, so that a canvas in the GPU's memory would only cost transfers.
  const settings = { colorSpace: 'srgb', willReadFrequently: true } as const
  const context = hasCanvas ? new OffscreenCanvas(width, height).getContext('2d', settings) : null
  if (context === null) throw new InternalError(ABSENT)
  if (isThere(context)) return context
  throw new InternalError(
    `this browser has no canvas of ${width}x${height}, as sources of pictures of that size take: send smaller ones, or close other pages`,
  )
}

/**
 * Where there is no memory for a canvas browsers give one on which nothing can be drawn, and say nothing: its values are 0. Protection
 * against fingerprinting makes them any others.
 */
function isThere(context: Context): boolean {
  context.fillRect(0, 0, 1, 1)
  try {
    return context.getImageData(0, 0, 1, 1).data.some((level) => level !== 0)
  } catch {
    return false
  } finally {
    context.clearRect(0, 0, 1, 1)
  }
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
