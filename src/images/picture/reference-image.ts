import { InvalidRequestError } from '../../errors/index.ts'
import { resizeInTurns, resizeLanczos } from './lanczos.ts'
import { cropCentre, type PixelImage, type Size } from './pixel-image.ts'

const MIN_SIDE = 64
const MAX_RATIO = 8
const MAX_PIXELS = 1024 * 1024

/** @throws InvalidRequestError for a side below 64 pixels or a side more than 8 times the other */
export function requireReferenceSize({ width, height }: Size, path: string): void {
  if (width < MIN_SIDE || height < MIN_SIDE) {
    throw new InvalidRequestError(path, `sides must be at least ${MIN_SIDE} pixels, got ${width}x${height}`)
  }
  if (Math.max(width / height, height / width) > MAX_RATIO) {
    throw new InvalidRequestError(path, `no side may be more than ${MAX_RATIO} times the other, got ${width}x${height}`)
  }
}

/**
 * Makes a reference picture fit for the encoder, as the FLUX.2 pipeline does: a picture of more than a megapixel
 * becomes smaller, none becomes larger, and what exceeds a multiple of `step` is cut off around it.
 *
 * @throws InvalidRequestError as `requireReferenceSize` does
 */
export function prepareReference(image: PixelImage, step: number): PixelImage {
  requireReferenceSize(image, 'image')
  const { whole, kept } = planReference(image, step)
  return cropCentre(resizeLanczos(image, whole.width, whole.height), kept.width, kept.height)
}

/** The same of a picture that may be large: others have their turns on the way. */
export async function prepareInTurns(image: PixelImage, step: number, turn: () => Promise<void>): Promise<PixelImage> {
  requireReferenceSize(image, 'image')
  const { whole, kept } = planReference(image, step)
  return cropCentre(await resizeInTurns(image, whole, turn), kept.width, kept.height)
}

/** The sides that a reference is given, and those of what is left of it then. */
export function planReference({ width, height }: Size, step: number): { readonly whole: Size; readonly kept: Size } {
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / (width * height)))
  const whole = { width: Math.trunc(width * scale), height: Math.trunc(height * scale) }
  const cut = (side: number) => Math.floor(side / step) * step
  return { whole, kept: { width: cut(whole.width), height: cut(whole.height) } }
}
