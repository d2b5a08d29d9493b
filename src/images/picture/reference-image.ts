import { InvalidRequestError } from '../../errors/index.ts'
import { resizeLanczos } from './lanczos.ts'
import { cropCentre, type PixelImage } from './pixel-image.ts'

const MIN_SIDE = 64
const MAX_RATIO = 8
const MAX_PIXELS = 1024 * 1024

/** @throws InvalidRequestError for a side below 64 pixels or a side more than 8 times the other */
export function requireReferenceSize({ width, height }: Pick<PixelImage, 'width' | 'height'>, path: string): void {
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
  const { width, height } = image
  requireReferenceSize(image, 'image')
  const sized = width * height > MAX_PIXELS ? shrink(image) : image
  return cropCentre(sized, Math.floor(sized.width / step) * step, Math.floor(sized.height / step) * step)
}

function shrink(image: PixelImage): PixelImage {
  const scale = Math.sqrt(MAX_PIXELS / (image.width * image.height))
  return resizeLanczos(image, Math.trunc(image.width * scale), Math.trunc(image.height * scale))
}
