import { computeSigmas, type Shift } from '../schedule.ts'
import type { Sampler } from './sampler.ts'

/**
 * FlowMatchLCMScheduler: every step predicts the clean latents and puts fresh noise on them. The noise is drawn from the
 * picture's seed, as the class does when it is given the generator; the pipelines of diffusers don't hand it over and
 * so make another picture each time.
 */
export function createLcm(shift: Shift): Sampler {
  const { fround } = Math
  return {
    plan({ levels, mu }) {
      const sigmas = computeSigmas(levels, shift, mu)
      return { sigmas, told: sigmas }
    },
    begin:
      ({ sigmas }, noise) =>
      async (latents, k, predict) => {
        const velocity = await predict(latents, sigmas[k]!)
        const [from, to] = [sigmas[k]!, sigmas[k + 1]!]
        const fresh = noise()
        return latents.map((value, i) => {
          const clean = fround(value - fround(from * velocity[i]!))
          return fround(fround(1 - to) * clean) + fround(to * fresh[i]!)
        })
      },
  }
}
