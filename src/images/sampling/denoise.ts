import type { JobContext } from '../../jobs/job-context.ts'
import type { Predict } from './predict.ts'
import type { Step } from './samplers/sampler.ts'
import type { Beginning } from './start.ts'

/** A picture from where it begins to where no noise is left. */
export interface Denoising extends Beginning {
  readonly step: Step
  /** All steps of the sampler, those before the first one too. */
  readonly steps: number
}

/** Follows the velocity through the noise levels. May change `latents` in place. */
export async function denoise(
  { step, steps, latents, first, keep }: Denoising,
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
