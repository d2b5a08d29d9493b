import * as z from 'zod'
import { readConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'

const off = z.literal(false).default(false)

/** What the pipelines read beside what the scheduler's class itself has. */
const shared = {
  num_train_timesteps: z.literal(1000).default(1000),
  use_dynamic_shifting: z.boolean().default(false),
  time_shift_type: z.literal('exponential').default('exponential'),
  base_shift: z.number().default(0.5),
  max_shift: z.number().default(1.15),
  base_image_seq_len: z.number().int().positive().default(256),
  max_image_seq_len: z.number().int().positive().default(4096),
  shift_terminal: z.null().optional(),
  use_karras_sigmas: off,
  use_exponential_sigmas: off,
  use_beta_sigmas: off,
}

const shift = z.number().positive().default(1)
/** Not theirs, but kept of the class that a scheduler was made of; FLUX.2's pipelines look at it whatever the class is. */
const use_flow_sigmas = z.boolean().default(false)

const euler = z.object({
  _class_name: z.literal('FlowMatchEulerDiscreteScheduler'),
  ...shared,
  shift,
  use_flow_sigmas,
  invert_sigmas: off,
  stochastic_sampling: off,
})

const heun = z.object({
  _class_name: z.literal('FlowMatchHeunDiscreteScheduler'),
  ...shared,
  shift,
  use_dynamic_shifting: off,
})

const lcm = z.object({
  _class_name: z.literal('FlowMatchLCMScheduler'),
  ...shared,
  shift,
  use_flow_sigmas,
  invert_sigmas: off,
  scale_factors: z.null().optional(),
})

/** Classes made for other models too: only what they do for flow matching is computed. */
const multistep = {
  ...shared,
  flow_shift: shift,
  use_flow_sigmas: z.literal(true),
  prediction_type: z.literal('flow_prediction'),
  thresholding: off,
  final_sigmas_type: z.literal('zero').default('zero'),
  lower_order_final: z.literal(true).default(true),
  solver_order: z.int().min(1).max(3).default(2),
}

const uniPc = z.object({
  _class_name: z.literal('UniPCMultistepScheduler'),
  ...multistep,
  predict_x0: z.literal(true).default(true),
  // The class reads the names of other solvers as bh2, and its bh1 ends in values that are no numbers.
  solver_type: z.enum(['bh2', 'midpoint', 'heun', 'logrho']).default('bh2'),
  disable_corrector: z.array(z.int().nonnegative()).default([]),
  solver_p: z.null().optional(),
})

const dpmSolver = z.object({
  _class_name: z.literal('DPMSolverMultistepScheduler'),
  ...multistep,
  algorithm_type: z.literal('dpmsolver++').default('dpmsolver++'),
  solver_type: z.enum(['midpoint', 'heun']).default('midpoint'),
  euler_at_final: z.boolean().default(false),
  use_lu_lambdas: off,
})

const CLASSES = [euler, heun, lcm, uniPc, dpmSolver] as const
const NAMES = CLASSES.map((schema) => schema.shape['_class_name'].value)

const schema = z.discriminatedUnion('_class_name', CLASSES, {
  error: ({ input }) => {
    const name = (input as Record<string, unknown> | undefined)?.['_class_name']
    return `expected one of ${NAMES.join(', ')}, got ${String(name).slice(0, 100)}`
  },
})

/** Configuration of a scheduler of diffusers, by its class. */
export type SchedulerConfig = z.infer<typeof schema>
export type UniPcConfig = z.infer<typeof uniPc>
export type DpmSolverConfig = z.infer<typeof dpmSolver>

/** Constant shift of the noise levels, under whichever name the class has it. */
export function shiftOf(config: SchedulerConfig): number {
  return 'flow_shift' in config ? config.flow_shift : config.shift
}

/**
 * Reads `scheduler/scheduler_config.json` of a pipeline.
 *
 * @throws ModelFormatError also when it names another class or asks for what is not computed here
 */
export function readScheduler(files: ModelFiles): Promise<SchedulerConfig> {
  return readConfig(files.within('scheduler'), 'scheduler_config.json', schema, 'a supported flow-matching scheduler')
}
