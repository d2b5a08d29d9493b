import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { furthest } from '../../../../test/helpers/furthest.ts'
import { ModelFormatError } from '../../../errors/index.ts'
import { denoise } from '../denoise.ts'
import { createNoise } from '../noise.ts'
import { spaceLevels, spaceLevelsTorch } from '../schedule.ts'
import { readScheduler } from '../scheduler-config.ts'
import { createSampler } from './create-sampler.ts'

interface Case {
  readonly name: string
  readonly config: object
  readonly spacing: 'numpy' | 'torch'
  readonly steps: number
  readonly mu: number
  readonly first: number
  readonly sigmas: readonly number[]
  readonly told: readonly number[]
  readonly latents: readonly number[]
}

const SIZE = 32
const fixture = new URL('../../../../test/fixtures/samplers.json', import.meta.url)
const cases = JSON.parse(await readFile(fixture, 'utf8')) as Case[]

function read(config: object) {
  const files = { location: 'bundle', readText: async () => JSON.stringify(config), within: () => files }
  return readScheduler(files as unknown as Parameters<typeof readScheduler>[0])
}

/** The formula that stands for the model in the fixture's script. */
const velocity = async (latents: Float32Array, level: number) =>
  latents.map((value, i) => 0.6 * value + Math.sin(i * 0.37 + level * 3))

describe('steps are those of the scheduler classes of diffusers', () => {
  it.each(cases)('$name', async ({ config, spacing, steps, mu, first, sigmas, told, latents }) => {
    const sampler = createSampler(await read(config))
    const plan = sampler.plan({ levels: spacing === 'numpy' ? spaceLevels(steps) : spaceLevelsTorch(steps), mu })
    expect(plan.sigmas.length).toBe(sigmas.length)
    expect(furthest(plan.sigmas, sigmas)).toBeLessThan(2e-7)
    expect(furthest(plan.told, told)).toBeLessThan(2e-7)
    const source = createNoise(5)
    const start = source(SIZE)
    const step = sampler.begin(plan, () => source(SIZE))
    const result = await denoise({ step, steps, sigmas: plan.sigmas, latents: start, first }, velocity, {
      turn: async () => {},
    })
    expect(furthest(result, latents)).toBeLessThan(2e-5)
  })
})

it('reads the file that diffusers saves for DPM++, in which a number is no JSON', async () => {
  const text = `{
    "_class_name": "DPMSolverMultistepScheduler", "algorithm_type": "dpmsolver++", "flow_shift": 3.0, "lambda_min_clipped": -Infinity,
    "prediction_type": "flow_prediction", "use_flow_sigmas": true, "variance_type": null
  }`
  const files = { location: 'bundle', readText: async () => text, within: () => files }
  const config = await readScheduler(files as unknown as Parameters<typeof readScheduler>[0])
  expect(config).toMatchObject({ _class_name: 'DPMSolverMultistepScheduler', flow_shift: 3 })
})

const FLOW = { use_flow_sigmas: true, prediction_type: 'flow_prediction' }

it.each([
  [{ _class_name: 'DDIMScheduler' }, 'DDIMScheduler'],
  [{ _class_name: 'DPMSolverSinglestepScheduler', ...FLOW }, 'DPMSolverSinglestepScheduler'],
  [{}, 'undefined'],
  [{ _class_name: 'UniPCMultistepScheduler' }, 'use_flow_sigmas'],
  [{ _class_name: 'UniPCMultistepScheduler', ...FLOW, prediction_type: 'epsilon' }, 'prediction_type'],
  [{ _class_name: 'UniPCMultistepScheduler', ...FLOW, predict_x0: false }, 'predict_x0'],
  [{ _class_name: 'UniPCMultistepScheduler', ...FLOW, solver_type: 'bh1' }, 'solver_type'],
  [{ _class_name: 'UniPCMultistepScheduler', ...FLOW, solver_order: 4 }, 'solver_order'],
  [{ _class_name: 'DPMSolverMultistepScheduler', ...FLOW, algorithm_type: 'sde-dpmsolver++' }, 'algorithm_type'],
  [{ _class_name: 'DPMSolverMultistepScheduler', ...FLOW, use_karras_sigmas: true }, 'use_karras_sigmas'],
  [{ _class_name: 'FlowMatchLCMScheduler', scale_factors: [0.5] }, 'scale_factors'],
  [{ _class_name: 'FlowMatchHeunDiscreteScheduler', use_dynamic_shifting: true }, 'use_dynamic_shifting'],
  [{ _class_name: 'FlowMatchEulerDiscreteScheduler', shift_terminal: 0.1 }, 'shift_terminal'],
])('refuses %j by name', async (config, name) => {
  const refused = read(config)
  await expect(refused).rejects.toThrow(ModelFormatError)
  await expect(refused).rejects.toThrow(name)
})
