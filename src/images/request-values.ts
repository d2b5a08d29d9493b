import { InvalidRequestError } from '../errors/index.ts'
import { readOption } from '../options/index.ts'
import { GUIDANCE, STEPS } from './sampling/sampling-options.ts'

/** @throws InvalidRequestError unless both sides are multiples of `step` */
export function requireSize(width: number, height: number, step: number): void {
  for (const side of [width, height]) {
    if (Number.isSafeInteger(side) && side > 0 && side % step === 0) continue
    throw new InvalidRequestError('size', `sides must be multiples of ${step} pixels, got ${width}x${height}`)
  }
}

/** @throws InvalidRequestError */
export function requireSampling(steps: number, guidance: number): void {
  readOption('steps', STEPS, steps)
  readOption('guidance', GUIDANCE, guidance)
}
