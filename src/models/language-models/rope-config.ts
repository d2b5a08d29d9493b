import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { readFields } from '../configs/read-fields.ts'

/** The change of angles for texts longer than those of the first training; see rotary-frequencies.ts. */
export type RopeScaling =
  | { readonly type: 'linear'; readonly factor: number }
  | {
      readonly type: 'llama3'
      readonly factor: number
      readonly lowFrequency: number
      readonly highFrequency: number
      readonly trainedPositions: number
    }
  | {
      readonly type: 'yarn'
      readonly factor: number
      /** The factor of cosines and sines. */
      readonly magnitude: number
      readonly fastRotations: number
      readonly slowRotations: number
      readonly trainedPositions: number
      /** Whether the bounds between frequencies are rounded to whole ones. */
      readonly truncates: boolean
    }

/** A rotary position embedding. */
export interface RopeConfig {
  readonly theta: number
  readonly scaling?: RopeScaling
}

const positive = z.number().positive()
const partial = z.literal(1).optional()
const named = { rope_type: z.string().optional(), type: z.string().optional(), rope_theta: positive.optional() }
const common = { ...named, partial_rotary_factor: partial }
const trained = z.number().int().positive().optional()

const schemas = {
  default: z.strictObject(common),
  linear: z.strictObject({ ...common, factor: positive }),
  llama3: z.strictObject({
    ...common,
    factor: positive,
    low_freq_factor: positive,
    high_freq_factor: positive,
    original_max_position_embeddings: trained,
  }),
  yarn: z.strictObject({
    ...common,
    factor: positive,
    original_max_position_embeddings: trained,
    attention_factor: positive.nullish(),
    beta_fast: positive.nullish(),
    beta_slow: positive.nullish(),
    mscale: z.number().nullish(),
    mscale_all_dim: z.number().nullish(),
    truncate: z.boolean().default(true),
  }),
}

/** The fields of a `config.json` that say it: transformers 5 writes `rope_parameters`, earlier versions the other two. */
export const ropeFields = {
  rope_theta: positive.optional(),
  rope_scaling: z.looseObject({}).nullish(),
  rope_parameters: z.looseObject({}).nullish(),
  partial_rotary_factor: partial,
  /** Some files have it here and not beside the scaling, as Phi's do; transformers takes this one where there are both. */
  original_max_position_embeddings: trained.nullable(),
}

export interface RopeSource {
  /** Object with `rope_type` or, in older files, `type`. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Its name, for errors. */
  readonly field: string
  /** @defaultValue `rope_theta` of the parameters, and an error without one */
  readonly theta?: number | undefined
  /** `max_position_embeddings`, where nothing says what the first training had. */
  readonly positions: number
  /** What the first training had, whatever the parameters say. */
  readonly trained?: number | undefined
}

/** The one rotary embedding of a model. @throws ModelFormatError naming a kind or a field that is not computed */
export function readRope(fields: RopeFields, file: string): RopeConfig {
  const { rope_theta: theta, rope_scaling, rope_parameters, max_position_embeddings: positions } = fields
  if (rope_scaling && rope_parameters) {
    throw new ModelFormatError(file, 'rope_parameters or rope_scaling', 'both, which may differ')
  }
  const field = rope_parameters ? 'rope_parameters' : 'rope_scaling'
  const parameters = rope_parameters ?? rope_scaling ?? {}
  const trained = fields.original_max_position_embeddings ?? undefined
  return readRopeParameters({ parameters, field, theta, positions, trained }, file)
}

interface RopeFields {
  readonly rope_theta?: number | undefined
  readonly rope_scaling?: Record<string, unknown> | null | undefined
  readonly rope_parameters?: Record<string, unknown> | null | undefined
  readonly original_max_position_embeddings?: number | null | undefined
  readonly max_position_embeddings: number
}

export function readRopeParameters(source: RopeSource, file: string): RopeConfig {
  const { parameters, field, theta } = source
  const type = parameters['rope_type'] ?? parameters['type'] ?? 'default'
  if (typeof type !== 'string' || !Object.hasOwn(schemas, type)) {
    const got = typeof type === 'string' ? `${type.slice(0, 100)}: take a checkpoint without it` : 'no name'
    throw new ModelFormatError(file, `${field} of type ${Object.keys(schemas).join(', ')}`, got)
  }
  const read = <Schema extends z.ZodType>(schema: Schema) =>
    readFields(schema, parameters, file, `a supported ${type} rotary embedding`, `${field}.`)
  const scaling = readScaling(type as keyof typeof schemas, read, source)
  const base = (parameters['rope_theta'] as number | undefined) ?? theta
  if (base === undefined) throw new ModelFormatError(file, 'rope_theta or rope_parameters.rope_theta', 'neither')
  return { theta: base, ...(scaling && { scaling }) }
}

function readScaling(
  type: keyof typeof schemas,
  read: <Schema extends z.ZodType>(schema: Schema) => z.output<Schema>,
  { positions, trained: given }: RopeSource,
): RopeScaling | undefined {
  if (type === 'default') {
    read(schemas.default)
    return undefined
  }
  if (type === 'linear') return { type, factor: read(schemas.linear).factor }
  if (type === 'llama3') {
    const fields = read(schemas.llama3)
    const { factor, low_freq_factor: lowFrequency, high_freq_factor: highFrequency } = fields
    const trainedPositions = given ?? fields.original_max_position_embeddings ?? positions
    return { type, factor, lowFrequency, highFrequency, trainedPositions }
  }
  const fields = read(schemas.yarn)
  const { factor, mscale, mscale_all_dim: all, truncate: truncates } = fields
  const inferred = mscale && all ? magnitudeOf(factor, mscale) / magnitudeOf(factor, all) : magnitudeOf(factor, 1)
  return {
    type,
    factor,
    magnitude: fields.attention_factor ?? inferred,
    fastRotations: fields.beta_fast ?? 32,
    slowRotations: fields.beta_slow ?? 1,
    trainedPositions: given ?? fields.original_max_position_embeddings ?? positions,
    truncates,
  }
}

/** YaRN's correction of how large scores become over longer texts (Peng et al. 2023, arXiv:2309.00071). */
function magnitudeOf(factor: number, scale: number): number {
  return factor <= 1 ? 1 : 0.1 * scale * Math.log(factor) + 1
}
