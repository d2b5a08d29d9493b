import { spaceShiftedLevels } from '../schedule.ts'
import type { Sampler } from './sampler.ts'

/**
 * FlowMatchHeunDiscreteScheduler: the mean of the velocities at both ends of a step, so two predictions for each but the
 * last. The class spaces its noise levels itself and shifts them twice, once for the ends of the range.
 */
export function createHeun(shift: number): Sampler {
  const shifted = (level: number) => (shift * level) / (1 + (shift - 1) * level)
  return {
    plan({ levels: { length: steps } }) {
      const levels = spaceShiftedLevels(steps, { use_dynamic_shifting: false, shift })
      const sigmas = Float32Array.from([...levels.map(shifted), 0])
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
