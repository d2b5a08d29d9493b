import { z } from 'zod'
import type { ModelFiles } from '../../models/model-files.ts'
import { readConfig } from '../../models/read-config.ts'

const off = z.literal(false).default(false)

const NAME = 'FlowMatchEulerDiscreteScheduler'

const schema = z.object({
  // Other classes of diffusers take other steps with the same fields.
  _class_name: z.literal(NAME, { error: ({ input }) => `expected ${NAME}, got ${String(input).slice(0, 100)}` }),
  num_train_timesteps: z.literal(1000).default(1000),
  shift: z.number().positive().default(1),
  use_dynamic_shifting: z.boolean().default(false),
  time_shift_type: z.literal('exponential').default('exponential'),
  base_shift: z.number().default(0.5),
  max_shift: z.number().default(1.15),
  base_image_seq_len: z.number().int().positive().default(256),
  max_image_seq_len: z.number().int().positive().default(4096),
  shift_terminal: z.null().optional(),
  invert_sigmas: off,
  use_karras_sigmas: off,
  use_exponential_sigmas: off,
  use_beta_sigmas: off,
  stochastic_sampling: off,
})

/** Configuration of a FlowMatchEulerDiscreteScheduler. */
export type SchedulerConfig = z.infer<typeof schema>

/**
 * Reads `scheduler/scheduler_config.json` of a pipeline.
 *
 * @throws ModelFormatError also when it asks for what the pipelines of this library never use
 */
export function readScheduler(files: ModelFiles): Promise<SchedulerConfig> {
  const expected = 'a supported flow-matching Euler scheduler'
  return readConfig(files.within('scheduler'), 'scheduler_config.json', schema, expected)
}
