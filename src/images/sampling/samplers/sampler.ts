import type { Predict } from '../predict.ts'
import type { Levels } from '../schedule.ts'

/** Noise levels that a sampler goes through for one picture. */
export interface NoiseLevels {
  /** As many falling values as there are steps, then 0. */
  readonly sigmas: Float32Array
  /** What the model is told at each of them; some samplers round it. */
  readonly told: ArrayLike<number>
}

/** How noise levels are spaced for one picture. */
interface Spacing {
  /** Evenly from 1 to 1 / steps. */
  readonly levels: Levels
  /** Shift for this size of picture; used only where the scheduler's shift is dynamic. */
  readonly mu: number
}

/**
 * Takes latents from noise level `step` to the next one, and may change them in place. Some keep what earlier steps
 * found, so that steps of one picture come in order.
 */
export type Step = (latents: Float32Array, step: number, predict: Predict) => Promise<Float32Array>

/** A way from noise to a picture, named after the scheduler's class of diffusers that it computes as. */
export interface Sampler {
  plan(spacing: Spacing): NoiseLevels
  /**
   * Begins a picture.
   *
   * @param noise draws noise in the layout of the latents, for samplers that add some at each step
   */
  begin(levels: NoiseLevels, noise: () => Float32Array): Step
}
