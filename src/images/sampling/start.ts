import type { NoiseLevels } from './samplers/sampler.ts'

/** A picture to begin with in place of noise alone, as latents in the layout that is denoised. */
export interface Start {
  readonly clean: Float32Array
  /** Share of the steps that are taken, above 0 to 1. */
  readonly strength: number
  /** Of each latent value from 0, which stays, to 1, which changes. @defaultValue all change */
  readonly mask?: Float32Array | undefined
}

/** Where denoising begins, and what it puts back after each step. */
export interface Beginning {
  readonly latents: Float32Array
  readonly first: number
  readonly keep?: (latents: Float32Array, step: number) => void
  /** Puts the same back, without noise, into what the latents would be without it. */
  readonly keepClean?: (clean: Float32Array) => void
}

/** Step at which a picture of that strength begins; as many as `steps` where none would be left. */
export function firstStep(steps: number, strength: number): number {
  return Math.trunc(Math.max(steps - Math.min(steps * strength, steps), 0))
}

/** Noise alone, or a picture with as much of it as its first step expects. */
export function beginFrom(start: Start | undefined, noise: Float32Array, { sigmas }: NoiseLevels): Beginning {
  if (start === undefined) return { latents: noise, first: 0 }
  const { clean, strength, mask } = start
  const first = firstStep(sigmas.length - 1, strength)
  const latents = clean.map((value, i) => putNoise(value, noise[i]!, sigmas[first]!))
  if (mask === undefined) return { latents, first }
  function keepAt(sigma: number, current: Float32Array): void {
    for (let i = 0; i < current.length; i++) {
      const kept = Math.fround(Math.fround(1 - mask![i]!) * putNoise(clean[i]!, noise[i]!, sigma))
      current[i] = kept + Math.fround(mask![i]! * current[i]!)
    }
  }
  return {
    latents,
    first,
    // What stays gets the noise of the level that the next step begins with.
    keep: (current, step) => keepAt(sigmas[step + 1]!, current),
    keepClean: (current) => keepAt(0, current),
  }
}

/** Latents at a noise level, on the straight way from picture to noise. */
function putNoise(clean: number, noise: number, sigma: number): number {
  return Math.fround(Math.fround(sigma * noise) + Math.fround(Math.fround(1 - sigma) * clean))
}
