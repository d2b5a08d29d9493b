import { InvalidRequestError } from '../errors/index.ts'

/** @throws InvalidRequestError unless both sides are multiples of `step` */
export function requireSize(width: number, height: number, step: number): void {
  for (const side of [width, height]) {
    if (Number.isSafeInteger(side) && side > 0 && side % step === 0) continue
    throw new InvalidRequestError('size', `sides must be multiples of ${step} pixels, got ${width}x${height}`)
  }
}

/** @throws InvalidRequestError */
export function requireSampling(steps: number, guidance: number): void {
  if (!Number.isSafeInteger(steps) || steps < 1) {
    throw new InvalidRequestError('steps', `must be a whole number from 1, got ${steps}`)
  }
  if (!Number.isFinite(guidance) || guidance < 0) {
    throw new InvalidRequestError('guidance', `must be a number from 0, got ${guidance}`)
  }
}
