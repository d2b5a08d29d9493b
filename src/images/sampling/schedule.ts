import type { SchedulerConfig } from './scheduler-config.ts'

/** Noise levels before they are shifted, in the precision in which the reference hands them to its scheduler. */
export type Levels = Float32Array | Float64Array

/** How noise levels are shifted: by a constant, or by the size of the picture. */
export interface Shift {
  readonly use_dynamic_shifting: boolean
  readonly shift: number
}

/**
 * Noise levels of the flow-matching Euler sampler: `steps` falling values from about 1, then 0. Step k goes from level
 * k to level k + 1. All in float32, rounded where the reference scheduler (FlowMatchEulerDiscreteScheduler) rounds.
 *
 * @param levels evenly spaced, as {@link spaceLevels} or {@link spaceLevelsTorch} gives them
 * @param mu shift for this image size; used only when the scheduler's shift is dynamic
 */
export function computeSigmas(levels: Levels, config: Shift, mu: number): Float32Array {
  const sigmas = new Float32Array(levels.length + 1)
  for (const [k, level] of Float32Array.from(levels).entries()) {
    sigmas[k] = config.use_dynamic_shifting ? shiftDynamically(level, mu) : shiftStatically(level, config.shift)
  }
  return sigmas
}

function shiftStatically(level: number, shift: number): number {
  const { fround } = Math
  return fround(fround(shift) * level) / fround(1 + fround(fround(shift - 1) * level))
}

function shiftDynamically(level: number, mu: number): number {
  const { fround } = Math
  const factor = fround(Math.exp(mu))
  return factor / fround(factor + fround(fround(1 / level) - 1))
}

/** `steps` levels from 1 to 1 / steps, as numpy's linspace computes them. */
export function spaceLevels(steps: number): Float64Array {
  const step = (1 / steps - 1) / (steps - 1)
  return Float64Array.from({ length: steps }, (_, k) => (k === 0 ? 1 : k === steps - 1 ? 1 / steps : 1 + k * step))
}

/**
 * `steps` levels from 1 towards the last of the thousand that models are trained on: how scheduler classes with flow sigmas
 * space them where a pipeline leaves that to them, as FLUX.2's does.
 */
export function spaceTrainedLevels(steps: number): Float64Array {
  const step = (1 / 1000 - 1) / steps
  return Float64Array.from({ length: steps }, (_, k) => 1 + k * step)
}

/**
 * `steps` levels between the ends of those that models are trained on, where a constant shift has moved them before: how
 * classes of flow matching space them by themselves. They are shifted once more then.
 */
export function spaceShiftedLevels(steps: number, { use_dynamic_shifting, shift }: Shift): Float64Array {
  const end = (level: number) => 1000 * (use_dynamic_shifting ? level : shiftStatically(level, shift))
  const [high, low] = [end(1), end(Math.fround(1 / 1000))]
  const step = (low - high) / (steps - 1)
  return Float64Array.from({ length: steps }, (_, k) => {
    return (k === 0 ? high : k === steps - 1 ? low : high + k * step) / 1000
  })
}

/** Those of {@link spaceLevels} as torch's linspace computes them: in float32 and from both ends, which differs in the last bit. */
export function spaceLevelsTorch(steps: number): Float32Array {
  const end = Math.fround(1 / steps)
  const step = Math.fround(Math.fround(end - 1) / (steps - 1))
  const half = Math.floor(steps / 2)
  return Float32Array.from({ length: steps }, (_, k) => {
    if (steps === 1) return 1
    return k < half ? 1 + step * k : end - step * (steps - 1 - k)
  })
}

/**
 * Shift that the FLUX.2 pipeline uses for `tokens` tokens of the picture to make (its references not counted), fitted
 * by the model's authors on 10 and 200 steps; it jumps at 4300 tokens, where they use the second line alone.
 */
export function computeEmpiricalMu(tokens: number, steps: number): number {
  const at200 = 0.00016927 * tokens + 0.45666666
  if (tokens > 4300) return at200
  const at10 = 8.73809524e-5 * tokens + 1.89833333
  const slope = (at200 - at10) / 190
  return slope * steps + at200 - 200 * slope
}

/** Shift that grows linearly with the number of tokens, between two sizes that the scheduler's configuration names. */
export function computeLinearMu(tokens: number, config: SchedulerConfig): number {
  const { base_shift: base, max_shift: max, base_image_seq_len: from, max_image_seq_len: to } = config
  const slope = (max - base) / (to - from)
  return tokens * slope + base - slope * from
}

/** One Euler step, in place: `latents + (to - from) · velocity` in float32. */
export function stepEuler(latents: Float32Array, velocity: Float32Array, from: number, to: number): void {
  const delta = Math.fround(to - from)
  for (let i = 0; i < latents.length; i++) latents[i] = latents[i]! + Math.fround(delta * velocity[i]!)
}
