import { z } from 'zod'
import type { ModelFiles } from '../model-files.ts'
import { readOptionalConfig } from '../read-config.ts'

/** The file that makes a folder one of an adapter of peft. */
export const ADAPTER_FILE = 'adapter_config.json'

const no = z.literal(false).nullish()
const none = z.union([z.null(), z.array(z.unknown()).length(0), z.strictObject({})]).optional()
/** What both kinds have; what would change a result and is not computed is only allowed where it changes none. */
const common = {
  base_model_name_or_path: z.string(),
  modules_to_save: none,
  alpha_pattern: none,
  trainable_token_indices: none,
  target_parameters: none,
}

const schema = z.discriminatedUnion('peft_type', [
  z.looseObject({
    ...common,
    peft_type: z.literal('LORA'),
    lora_alpha: z.number(),
    use_rslora: z.boolean().nullish(),
    bias: z.literal('none').nullish(),
    fan_in_fan_out: no,
    use_dora: no,
    lora_bias: no,
    use_qalora: no,
    layer_replication: none,
    alora_invocation_tokens: none,
  }),
  z.looseObject({ ...common, peft_type: z.literal('LOKR'), alpha: z.number() }),
])

export interface AdapterConfig {
  /** Path or hub id of what it was trained on. */
  readonly base: string
  /** What a change of this rank is multiplied by. */
  scale(rank: number): number
}

/** Undefined where the files are those of no adapter. @throws ModelFormatError naming a field that is not supported */
export async function readAdapterConfig(files: ModelFiles): Promise<AdapterConfig | undefined> {
  const config = await readOptionalConfig(files, ADAPTER_FILE, schema, 'a supported adapter of peft (LORA or LOKR)')
  if (config === undefined) return undefined
  const base = config.base_model_name_or_path
  if (config.peft_type === 'LOKR') return { base, scale: (rank) => config.alpha / rank }
  const { lora_alpha: alpha, use_rslora: isStabilised } = config
  return { base, scale: (rank) => alpha / (isStabilised ? Math.sqrt(rank) : rank) }
}
