import { InvalidRequestError } from '../errors/index.ts'
import { GUIDANCE, STEPS } from '../images/sampling/sampling-options.ts'
import { readOption } from '../options/index.ts'
import type { CallOptions } from './call-options.ts'

/** What the wire of the image endpoints does not carry. */
export interface ImageCallOptions extends CallOptions {
  /** Denoising steps, 1 to 1000. Default: what the model was made for. */
  readonly steps?: number | undefined
  /**
   * Strength of classifier-free guidance, 0 to 100; it doubles the time of a step. Default: what the model was made
   * for. Step-distilled FLUX.2 models ignore it.
   */
  readonly guidance?: number | undefined
}

export interface EditImageCallOptions extends ImageCallOptions {
  /** Integer within ±(2^53 - 1); variant k is drawn from `seed + k`. Default: a random one. */
  readonly seed?: number | undefined
}

/**
 * Completes what decides about the pictures of a request: a seed that isn't given is drawn here.
 *
 * @throws InvalidRequestError naming the option
 */
export function readSampling({ seed = drawSeed(), steps, guidance }: Omit<EditImageCallOptions, keyof CallOptions>) {
  if (!Number.isSafeInteger(seed)) {
    throw new InvalidRequestError('seed', `must be an integer within ±(2^53 - 1), got ${seed}`)
  }
  if (steps !== undefined) readOption('steps', STEPS, steps)
  if (guidance !== undefined) readOption('guidance', GUIDANCE, guidance)
  return { seed, ...(steps !== undefined && { steps }), ...(guidance !== undefined && { guidance }) }
}

/** Drawn where the call is made, so that a job is the same wherever and however often it runs. */
function drawSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!
}
