import type { SchedulerConfig } from '../scheduler-config.ts'
import { createDpmSolver } from './dpm-solver.ts'
import { createEuler } from './euler.ts'
import { createHeun } from './heun.ts'
import { createLcm } from './lcm.ts'
import type { Sampler } from './sampler.ts'
import { createUniPc } from './uni-pc.ts'

/** The sampler that a scheduler's class stands for. */
export function createSampler(config: SchedulerConfig): Sampler {
  switch (config['_class_name']) {
    case 'FlowMatchEulerDiscreteScheduler':
      return createEuler(config)
    case 'FlowMatchHeunDiscreteScheduler':
      return createHeun(config.shift)
    case 'FlowMatchLCMScheduler':
      return createLcm(config)
    case 'UniPCMultistepScheduler':
      return createUniPc(config)
    case 'DPMSolverMultistepScheduler':
      return createDpmSolver(config)
  }
}
