import type { Sampler } from './sampler.ts'

const TRAINED = 1000

/**
 * FlowMatchHeunDiscreteScheduler: the mean of the velocities at both ends of a step, so two predictions for each but the
 * last. The class spaces its noise levels itself and shifts them twice, once for the ends of the range.
 */
export function createHeun(shift: number): Sampler {
  const shifted = (level: number) => (shift * level) / (1 + (shift - 1) * level)
  return {
    plan({ levels: { length: steps } }) {
      const { fround } = Math
      const high = fround(shifted(1)) * TRAINED
      const low = fround(shifted(fround(1 / TRAINED))) * TRAINED
      const sigmas = new Float32Array(steps + 1)
      for (let k = 0; k < steps; k++) {
        const at = k === 0 ? high : k === steps - 1 ? low : high + (k * (low - high)) / (steps - 1)
        sigmas[k] = shifted(at / TRAINED)
      }
      return { sigmas, told: sigmas }
    },
    begin:
      ({ sigmas }) =>
      async (latents, k, predict) => {
        const [from, to] = [sigmas[k]!, sigmas[k + 1]!]
        const first = await predict(latents, from)
        const delta = Math.fround(to - from)
        const there = latents.map((value, i) => value + Math.fround(delta * first[i]!))
        if (to === 0) return there
        const second = await predict(there, to)
        return latents.map((value, i) => value + delta * 0.5 * (first[i]! + second[i]!))
      },
  }
}
