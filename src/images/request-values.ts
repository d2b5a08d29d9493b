import { InvalidRequestError } from '../errors/index.ts'
import { readOption } from '../options/index.ts'
import type { PictureRequest } from './image-pipeline.ts'
import type { Size } from './picture/pixel-image.ts'
import type { TextEncoder } from './prompt/text-encoder.ts'
import { GUIDANCE, STEPS, STRENGTH } from './sampling/sampling-options.ts'

/** @throws InvalidRequestError unless both sides are multiples of `step` */
export function requireSize(width: number, height: number, step: number): void {
  for (const side of [width, height]) {
    if (Number.isSafeInteger(side) && side > 0 && side % step === 0) continue
    throw new InvalidRequestError('size', `sides must be multiples of ${step} pixels, got ${width}x${height}`)
  }
}

/** @throws InvalidRequestError for what is no valid value */
export function requireSampling(steps: number, guidance: number, strength: number | undefined): void {
  readOption('steps', STEPS, steps)
  readOption('guidance', GUIDANCE, guidance)
  if (strength !== undefined) readOption('strength', STRENGTH, strength)
}

/**
 * Looks at texts before sources are encoded, which may take minutes.
 *
 * @throws InvalidRequestError for one that the model can't read whole, and for a negative prompt that nothing would lead away from
 */
export function requireTexts(
  text: TextEncoder,
  { prompt, negativePrompt }: Pick<PictureRequest, 'prompt' | 'negativePrompt'>,
  guided: boolean,
): void {
  requireGuided(negativePrompt, guided)
  text.check(prompt)
  if (negativePrompt !== undefined) text.check(negativePrompt, 'negativePrompt')
}

function requireGuided(negativePrompt: string | undefined, guided: boolean): void {
  if (negativePrompt === undefined || guided) return
  const reason = 'acts through guidance, which this model or call does without; leave it out, or raise guidance'
  throw new InvalidRequestError('negativePrompt', reason)
}

/** Sides that a request names, none of them as undefined. */
export function sidesOf({ width, height }: PictureRequest): { readonly width?: number; readonly height?: number } {
  return { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
}

/** @throws InvalidRequestError where a picture to begin with has other sides than the one to make */
export function requireStartSize(width: number | undefined, height: number | undefined, picture: Size): void {
  if ((width ?? picture.width) === picture.width && (height ?? picture.height) === picture.height) return
  const reason = `must be that of the picture to begin with, ${picture.width}x${picture.height}, got ${width}x${height}`
  throw new InvalidRequestError('size', reason)
}
