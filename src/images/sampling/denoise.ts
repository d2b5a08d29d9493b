import type { JobContext } from '../../jobs/job-context.ts'
import type { Predict } from './predict.ts'
import { predictClean } from './samplers/multistep.ts'
import type { Step } from './samplers/sampler.ts'
import type { Beginning } from './start.ts'

/** A picture from where it begins to where no noise is left. */
export interface Denoising extends Beginning {
  readonly step: Step
  /** All steps of the sampler, those before the first one too. */
  readonly steps: number
  /** Noise level before each step, and 0. */
  readonly sigmas: Float32Array
  /** Told after each step what the latents would be without noise, by the step's first prediction. */
  readonly onClean?: ((clean: Float32Array, at: { step: number; steps: number }) => Promise<void>) | undefined
}

/** Follows the velocity through the noise levels. May change `latents` in place. */
export async function denoise(
  { step, steps, sigmas, latents, first, keep, keepClean, onClean }: Denoising,
  predict: Predict,
  context: JobContext,
): Promise<Float32Array> {
  const total = steps - first
  let current = latents
  for (let k = first; k < steps; k++) {
    context.onProgress?.({ stage: 'denoising', done: k - first, total })
    let clean: Float32Array | undefined
    const watched: Predict = async (noisy, sigma) => {
      const velocity = await predict(noisy, sigma)
      clean ??= predictClean(noisy, velocity, sigmas[k]!)
      return velocity
    }
    current = await step(current, k, onClean ? watched : predict)
    keep?.(current, k)
    if (clean === undefined) continue
    keepClean?.(clean)
    await onClean?.(clean, { step: k - first + 1, steps: total })
  }
  context.onProgress?.({ stage: 'denoising', done: total, total })
  return current
}
