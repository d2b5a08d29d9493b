import type { UniPcConfig } from '../scheduler-config.ts'
import { combine, logSignalRatio, predictClean, wholeTimes } from './multistep.ts'
import type { NoiseLevels, Sampler, Step } from './sampler.ts'
import { solveLinear } from './solve-linear.ts'

/** The first noise level stays this far below 1, where its ratio of signal to noise would have no logarithm. */
const CLEAR = 1e-6

/** A prediction of clean latents and the level that it was made at. */
interface Found {
  readonly clean: Float32Array
  readonly sigma: number
}

/** UniPCMultistepScheduler for flow matching, predicting clean latents (https://arxiv.org/abs/2302.04867). */
export function createUniPc(config: UniPcConfig): Sampler {
  return {
    plan({ levels, mu }) {
      const { flow_shift: shift, use_dynamic_shifting } = config
      const factor = Math.exp(mu)
      const sigmas = Array.from(levels, (level) =>
        use_dynamic_shifting ? factor / (factor + (1 / level - 1)) : (shift * level) / (1 + (shift - 1) * level),
      )
      if (Math.abs(sigmas[0]! - 1) < CLEAR) sigmas[0]! -= CLEAR
      return { sigmas: Float32Array.from([...sigmas, 0]), told: wholeTimes(sigmas) }
    },
    begin: (levels) => beginUniPc(config, levels),
  }
}

function beginUniPc(config: UniPcConfig, { sigmas, told }: NoiseLevels): Step {
  const steps = sigmas.length - 1
  /** Predictions, latest first, and what the last step began with and at which order it was taken. */
  let found: Found[] = []
  let last: { readonly latents: Float32Array; readonly order: number } | undefined
  return async (latents, k, predict) => {
    const sigma = sigmas[k]!
    const clean = predictClean(latents, await predict(latents, told[k]!), sigma)
    const corrected = last !== undefined && !config.disable_corrector.includes(k - 1)
    const start = corrected ? correct(last!.latents, found.slice(0, last!.order), { clean, sigma }) : latents
    found = [{ clean, sigma }, ...found].slice(0, config.solver_order)
    const order = Math.min(config.solver_order, steps - k, found.length)
    last = { latents: start, order }
    return advance(start, found.slice(0, order), sigmas[k + 1]!)
  }
}

/** UniP: the latents at level `to`, from predictions at the levels before it, latest first. */
function advance(latents: Float32Array, found: readonly Found[], to: number): Float32Array {
  const order = found.length
  const { start, ratios, slopes, matrix, right, scale } = expand(latents, found, to)
  if (order === 1) return combine(start)
  const inner = order - 1
  // The class takes a half here, where the system would give another value.
  const weights =
    order === 2
      ? [0.5]
      : solveLinear(
          matrix.slice(0, inner).map((row) => row.slice(0, inner)),
          right.slice(0, inner),
        )
  return combine([...start, ...ratios.map((_, i) => [-scale * weights[i]!, slopes[i]!] as const)])
}

/** UniC: the last step again, now that the prediction at its end is known. */
function correct(latents: Float32Array, found: readonly Found[], end: Found): Float32Array {
  const order = found.length
  const { start, ratios, slopes, matrix, right, scale } = expand(latents, found, end.sigma)
  const weights = order === 1 ? [0.5] : solveLinear(matrix, right)
  const change = combine([
    [1, end.clean],
    [-1, found[0]!.clean],
  ])
  return combine([
    ...start,
    ...ratios.map((_, i) => [-scale * weights[i]!, slopes[i]!] as const),
    [-scale * weights[order - 1]!, change],
  ])
}

/** What both share: the step of first order, differences of earlier predictions, and the system for their weights. */
function expand(latents: Float32Array, found: readonly Found[], to: number) {
  const [now, ...earlier] = found
  const ratio = logSignalRatio(now!.sigma)
  const step = logSignalRatio(to) - ratio
  const alpha = 1 - to
  const phi1 = Math.expm1(-step)
  const ratios = earlier.map(({ sigma }) => (logSignalRatio(sigma) - ratio) / step)
  const slopes = earlier.map(({ clean }, i) =>
    combine([
      [1 / ratios[i]!, clean],
      [-1 / ratios[i]!, now!.clean],
    ]),
  )
  const matrix: number[][] = []
  const right: number[] = []
  let phi = phi1 / -step - 1
  let factorial = 1
  for (let i = 1; i <= found.length; i++) {
    matrix.push([...ratios, 1].map((value) => value ** (i - 1)))
    right.push((phi * factorial) / phi1)
    factorial *= i + 1
    phi = phi / -step - 1 / factorial
  }
  const start = [
    [to / now!.sigma, latents],
    [-alpha * phi1, now!.clean],
  ] as const
  return { start, ratios, slopes, matrix, right, scale: alpha * phi1 }
}
