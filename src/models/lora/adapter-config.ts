import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { readOptionalConfig } from '../configs/read-config.ts'
import { readFields } from '../configs/read-fields.ts'
import type { ModelFiles } from '../files/model-files.ts'
import type { ScaleOf } from './read-changes.ts'

/** The file that makes a folder one of an adapter of peft. */
export const ADAPTER_FILE = 'adapter_config.json'
/** In the header of a file that diffusers wrote: the configuration, with the name of the part before each key. */
const METADATA = 'lora_adapter_metadata'
/** What peft and diffusers put before the name that a module has in the model. */
const WRAPPED = /^(?:base_model\.model|transformer|unet)\./
const METADATA_PREFIX = /^(?:transformer|unet)\./

const no = z.literal(false).nullish()
const none = z.union([z.null(), z.array(z.unknown()).length(0), z.strictObject({})]).optional()
/**
 * A pattern of peft is a regular expression, found at the end of a module's name, or at all of it behind `^`; plain names
 * alone are taken.
 */
const NAMES = z.string().regex(/^\^?[\w.-]{1,300}$/, 'expected plain names of modules, with or without ^ before them')
const pattern = z.record(NAMES, z.number()).nullish()
/** Read where the shapes of tensors say none, which two whole factors of LoKr do not; peft's default. */
const rank = z.number().positive().default(8)
/** Of the base: a branch, tag or commit. It is part of a path in the hub's cache, which it must not leave. */
const revision = z
  .string()
  .regex(/^(?:(?!.*\.\.)\w[\w./+@-]{0,200})?$/, 'expected the name of a branch, a tag or a commit')
  .nullish()
/** What both kinds have; what would change a result and is not computed is only allowed where it changes none. */
const common = {
  base_model_name_or_path: z.string().nullish(),
  revision,
  modules_to_save: none,
  alpha_pattern: pattern,
  trainable_token_indices: none,
  target_parameters: none,
}

/** Initialisations of peft that leave the base as it is. The others take their first product off it, as PiSSA does, or round it. */
const start = z
  .union([z.boolean(), z.enum(['gaussian', 'orthogonal', 'eva', 'mica'])], {
    error: ({ input }) =>
      `${JSON.stringify(input)} belongs on a base that peft changed by it: save the adapter with path_initial_model_for_weight_conversion, or merge it in peft`,
  })
  .nullish()

const kinds = [
  z.looseObject({
    ...common,
    peft_type: z.literal('LORA'),
    lora_alpha: z.number(),
    r: rank,
    use_rslora: z.boolean().nullish(),
    bias: z.literal('none').nullish(),
    fan_in_fan_out: no,
    use_dora: no,
    lora_bias: no,
    init_lora_weights: start,
    use_qalora: no,
    layer_replication: none,
    alora_invocation_tokens: none,
  }),
  z.looseObject({
    ...common,
    peft_type: z.literal('LOKR'),
    alpha: z.number(),
    r: rank,
    /** Of any patterns: they are asked for alone where no shape says the rank. */
    rank_pattern: z.record(z.string(), z.number().positive()).nullish(),
  }),
] as const
const schema = z.discriminatedUnion('peft_type', kinds, {
  error: ({ code, input }) =>
    code === 'invalid_union' ? `${JSON.stringify(Object(input).peft_type)} is not computed` : undefined,
})

const EXPECTED = 'a supported adapter of peft (LORA or LOKR)'

export interface AdapterConfig {
  /** Path or hub id of what it was trained on, where it says so. */
  readonly base: string | undefined
  /** Of the base, where it is a hub id and not that of `main`. */
  readonly revision: string | undefined
  readonly scaleOf: ScaleOf
}

/** Undefined where the files are those of no adapter. @throws ModelFormatError naming a field that is not supported */
export async function readAdapterConfig(files: ModelFiles): Promise<AdapterConfig | undefined> {
  const config = await readOptionalConfig(files, ADAPTER_FILE, schema, EXPECTED)
  return (
    config && {
      base: config.base_model_name_or_path ?? undefined,
      revision: config.revision || undefined,
      scaleOf: scalesOf(config, `${files.location}/${ADAPTER_FILE}`),
    }
  )
}

/**
 * What the header of a single file says of the scale of its changes; nothing in most.
 *
 * @throws ModelFormatError naming a field that is not supported
 */
export function readMetadataScales(metadata: Readonly<Record<string, string>>, file: string): ScaleOf {
  const text = metadata[METADATA]
  if (text === undefined) return () => undefined
  const expected = `${EXPECTED} as ${METADATA}`
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new ModelFormatError(file, expected, 'something that is not JSON', { cause })
  }
  const entries = Object.entries(Object(json) as object).map(([key, value]) => [
    key.replace(METADATA_PREFIX, ''),
    value,
  ])
  const config: unknown = { peft_type: 'LORA', ...Object.fromEntries(entries) }
  return scalesOf(readFields(schema, config, file, expected), file)
}

/** @param file its path, for errors */
function scalesOf(config: z.infer<typeof schema>, file: string): ScaleOf {
  const alphas = readPattern(config.alpha_pattern)
  if (config.peft_type === 'LOKR') {
    const { rank_pattern: patterns } = config
    const ranks = readPattern(patterns)
    const isPlain = Object.keys(patterns ?? {}).every((name) => NAMES.safeParse(name).success)
    const rankOf = (module: string) => {
      if (isPlain) return ranks(module)
      const expected = `${EXPECTED} with plain names of modules in rank_pattern, as the tensors of ${module.slice(0, 200)} say no rank`
      throw new ModelFormatError(file, expected, 'other patterns')
    }
    return (module, rank) => (alphas(module) ?? config.alpha) / (rank ?? rankOf(module) ?? config.r)
  }
  const { lora_alpha: alpha, use_rslora: isStabilised } = config
  return (module, rank = config.r) => (alphas(module) ?? alpha) / (isStabilised ? Math.sqrt(rank) : rank)
}

/** The number that a pattern gives to a module, if it gives one. */
function readPattern(numbers: z.infer<typeof pattern>): (module: string) => number | undefined {
  const all = Object.entries(numbers ?? {})
  const isMeant = (module: string, name: string) =>
    name.startsWith('^')
      ? module.replace(WRAPPED, '') === name.slice(1)
      : module === name || module.endsWith(`.${name}`)
  return (module) => all.find(([name]) => isMeant(module, name))?.[1]
}
