import { describe, expect, it } from 'vitest'
import { computeEmpiricalMu, computeSigmas, spaceLevels, spaceLevelsTorch, stepEuler } from './schedule.ts'

const SHARED = {
  _class_name: 'FlowMatchEulerDiscreteScheduler',
  num_train_timesteps: 1000,
  time_shift_type: 'exponential',
} as const
const OFF = {
  invert_sigmas: false,
  use_karras_sigmas: false,
  use_exponential_sigmas: false,
  use_beta_sigmas: false,
  stochastic_sampling: false,
} as const
const LINEAR = { base_shift: 0.5, max_shift: 1.15, base_image_seq_len: 256, max_image_seq_len: 4096 }
const CONFIG = { ...SHARED, ...OFF, ...LINEAR, shift: 3, use_dynamic_shifting: false }
const DYNAMIC = { ...CONFIG, use_dynamic_shifting: true }

/** Values of diffusers' FlowMatchEulerDiscreteScheduler. */
describe('noise levels are those of diffusers', () => {
  it.each([
    [8, [1, 0.95454544, 0.9, 0.8333333, 0.75, 0.64285713, 0.5, 0.3, 0]],
    [4, [1, 0.9, 0.75, 0.5, 0]],
  ])('with the static shift, %d steps', (steps, wanted) => {
    const sigmas = computeSigmas(spaceLevelsTorch(steps), CONFIG, 0)
    expect(sigmas).toEqual(Float32Array.from(wanted))
  })

  it.each([
    [256, 1.965567161408539, [1, 0.95539075, 0.87713426, 0.7041117, 0]],
    [1024, 2.0306897079499455, [1, 0.95808536, 0.8839819, 0.7174966, 0]],
    [4096, 2.291179894115571, [1, 0.96738404, 0.90814394, 0.76719993, 0]],
    [6144, 1.49666154, [1, 0.93055677, 0.81707603, 0.59821886, 0]],
  ])('with the dynamic shift of %d tokens, 4 steps', (tokens, mu, wanted) => {
    expect(computeEmpiricalMu(tokens, 4)).toBeCloseTo(mu, 7)
    const sigmas = computeSigmas(spaceLevels(4), DYNAMIC, computeEmpiricalMu(tokens, 4))
    for (const [k, sigma] of wanted.entries()) expect(sigmas[k]).toBeCloseTo(sigma, 6)
  })

  it('with a single step', () => {
    expect([...computeSigmas(spaceLevels(1), DYNAMIC, 2)]).toEqual([1, 0])
    expect([...computeSigmas(spaceLevelsTorch(1), CONFIG, 0)]).toEqual([1, 0])
  })
})

it('spaces levels as torch.linspace does, whose last bits differ from rounded exact values', () => {
  // torch.linspace(1.0, 1 / 7, 7)
  const torch = [1, 0.857142866, 0.714285731, 0.571428597, 0.428571463, 0.285714298, 0.142857149]
  expect([...spaceLevelsTorch(7)]).toEqual(torch.map(Math.fround))
  expect([...spaceLevels(7)]).not.toEqual(torch.map(Math.fround))
})

it('goes the way of the velocity in float32', () => {
  const latents = Float32Array.of(1, -2, 0.1)
  stepEuler(latents, Float32Array.of(0.5, 4, -3), 0.75, 0.5)
  expect(latents).toEqual(Float32Array.of(0.875, -3, Math.fround(0.1) + 0.75))
})
