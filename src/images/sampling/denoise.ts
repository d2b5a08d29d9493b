import type { JobContext } from '../../jobs/job-context.ts'
import type { Predict } from './predict.ts'
import type { Step } from './samplers/sampler.ts'

/** The part of the noise levels that a picture goes through, and how. */
export interface Denoising {
  readonly step: Step
  readonly steps: number
  /** Step to begin with; above 0 where a picture is changed and not all noise is put on it. @defaultValue 0 */
  readonly first?: number
  /** Called with the latents after every step, to put back what must stay; it changes them in place. */
  readonly keep?: (latents: Float32Array, step: number) => void
}

/** Follows the velocity through the noise levels. May change `latents` in place. */
export async function denoise(
  latents: Float32Array,
  { step, steps, first = 0, keep }: Denoising,
  predict: Predict,
  context: JobContext,
): Promise<Float32Array> {
  const total = steps - first
  let current = latents
  for (let k = first; k < steps; k++) {
    context.onProgress?.({ stage: 'denoising', done: k - first, total })
    current = await step(current, k, predict)
    keep?.(current, k)
  }
  context.onProgress?.({ stage: 'denoising', done: total, total })
  return current
}
