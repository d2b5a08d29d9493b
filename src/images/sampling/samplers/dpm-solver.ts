import type { DpmSolverConfig } from '../scheduler-config.ts'
import { combine, logSignalRatio, predictClean, wholeTimes } from './multistep.ts'
import type { NoiseLevels, Sampler, Step } from './sampler.ts'

const TRAINED = 1000
/** Below this many steps the last two are taken at a lower order. */
const FEW = 15

/**
 * DPMSolverMultistepScheduler for flow matching (DPM-Solver++, https://arxiv.org/abs/2211.01095). The class spaces its
 * noise levels itself.
 */
export function createDpmSolver(config: DpmSolverConfig): Sampler {
  return {
    plan({ levels: { length: steps }, mu }) {
      const shift = config.use_dynamic_shifting ? Math.exp(mu) : config.flow_shift
      // What numpy's linspace gives from 1 to 1 / 1000 decides what is cut off of the times below.
      const spacing = (1 / TRAINED - 1) / steps
      const sigmas = Array.from({ length: steps }, (_, k) => {
        const level = 1 - (k === 0 ? 1 / TRAINED : 1 + (steps - k) * spacing)
        return (shift * level) / (1 + (shift - 1) * level)
      })
      return { sigmas: Float32Array.from([...sigmas, 0]), told: wholeTimes(sigmas) }
    },
    begin: (levels) => beginDpmSolver(config, levels),
  }
}

function beginDpmSolver(config: DpmSolverConfig, { sigmas, told }: NoiseLevels): Step {
  const steps = sigmas.length - 1
  const found: { clean: Float32Array; ratio: number }[] = []
  return async (latents, k, predict) => {
    const sigma = sigmas[k]!
    const clean = predictClean(latents, await predict(latents, told[k]!), sigma)
    found.unshift({ clean, ratio: logSignalRatio(sigma) })
    found.splice(config.solver_order)
    const ending = steps - k
    const order = ending === 1 ? 1 : Math.min(ending === 2 && steps < FEW ? 2 : 3, found.length)
    return update(config, latents, found.slice(0, order), sigma, sigmas[k + 1]!)
  }
}

/** One update of first, second or third order, by how many predictions of clean latents it is given, latest first. */
function update(
  { solver_type }: DpmSolverConfig,
  latents: Float32Array,
  [now, before, earlier]: readonly { clean: Float32Array; ratio: number }[],
  from: number,
  to: number,
): Float32Array {
  const alpha = 1 - to
  const h = logSignalRatio(to) - now!.ratio
  const decay = Math.expm1(-h)
  const start = [
    [to / from, latents],
    [-alpha * decay, now!.clean],
  ] as const
  if (before === undefined) return combine(start)
  const r0 = (now!.ratio - before.ratio) / h
  const slope = combine([
    [1 / r0, now!.clean],
    [-1 / r0, before.clean],
  ])
  if (earlier === undefined) {
    const factor = solver_type === 'midpoint' ? -0.5 * alpha * decay : alpha * (decay / h + 1)
    return combine([...start, [factor, slope]])
  }
  const r1 = (before.ratio - earlier.ratio) / h
  const olderSlope = combine([
    [1 / r1, before.clean],
    [-1 / r1, earlier.clean],
  ])
  const bend = combine([
    [1, slope],
    [-1, olderSlope],
  ])
  return combine([
    ...start,
    [alpha * (decay / h + 1), slope],
    [(alpha * (decay / h + 1) * r0 - alpha * ((decay + h) / h ** 2 - 0.5)) / (r0 + r1), bend],
  ])
}
