import { computeSigmas, type Shift, stepEuler } from '../schedule.ts'
import type { Sampler } from './sampler.ts'

/** FlowMatchEulerDiscreteScheduler, without its stochastic sampling. */
export function createEuler(shift: Shift): Sampler {
  return {
    plan({ levels, mu }) {
      const sigmas = computeSigmas(levels, shift, mu)
      return { sigmas, told: sigmas }
    },
    begin:
      ({ sigmas }) =>
      async (latents, k, predict) => {
        stepEuler(latents, await predict(latents, sigmas[k]!), sigmas[k]!, sigmas[k + 1]!)
        return latents
      },
  }
}
