import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { refuseForeignQuantization } from './foreign-quantization.ts'
import { readOptionalConfig } from './read-config.ts'
import { explainUnsupported } from './unsupported-kinds.ts'

/** A `config.json` and what it says the model is. */
export interface ModelConfig {
  /** Its path, for errors. */
  readonly file: string
  readonly json: Readonly<Record<string, unknown>>
  /** `architectures`: classes of transformers that the checkpoint was saved from. */
  readonly architectures: readonly string[]
  /** `model_type` */
  readonly modelType: string | undefined
}

/** A row of a registry: the checkpoints that one kind of code reads. */
export interface Family {
  /** Classes of transformers that it computes. */
  readonly architectures: readonly string[]
  /** Values of `model_type` that these have. */
  readonly modelTypes: readonly string[]
}

const EXPECTED = 'the configuration of a model'

const schema = z.looseObject({
  architectures: z.array(z.string()).nullish(),
  model_type: z.string().optional(),
  architecture: z.string().optional(),
})

/** The architecture of a folder that has the configuration of a Laya agent, and that of its encoder in another folder. */
export const LAYA = 'LayaAgent'
export const AGENT_FILE = 'rl_agent_config.json'

/** What a release of Julia calls itself, in a field of its own; its encoder has a folder too. */
export const JULIA = 'JuliaDecisionModel'
export const JULIA_FILE = 'julia_config.json'

/** @throws ModelFormatError when there is no `config.json`, or none that this library's formats of weights fit */
export async function readModelConfig(files: ModelFiles): Promise<ModelConfig> {
  const json = await readOptionalConfig(files, 'config.json', schema, EXPECTED)
  if (json !== undefined) return identifyModel(json, `${files.location}/config.json`)
  const agent = await readOptionalConfig(files, AGENT_FILE, z.looseObject({}), 'the configuration of a Laya agent')
  if (agent === undefined) throw new ModelFormatError(`${files.location}/config.json`, EXPECTED, 'no such file')
  return { file: `${files.location}/${AGENT_FILE}`, json: agent, architectures: [LAYA], modelType: undefined }
}

/** @param file path of the `config.json` that was parsed, for errors */
export function identifyModel(json: unknown, file: string): ModelConfig {
  const result = schema.safeParse(json)
  if (!result.success) throw new ModelFormatError(file, EXPECTED, 'other JSON')
  refuseForeignQuantization(result.data, file)
  const { architectures, model_type: modelType, architecture } = result.data
  const named = architecture === JULIA ? [JULIA] : []
  return { file, json: result.data, architectures: architectures ?? named, modelType }
}

/**
 * The row that reads a checkpoint. Both of what it says have to be known: remote code may keep the class of a model that
 * it changes, and another class of a known type has another head.
 *
 * @throws ModelFormatError naming what it is and all that is known
 */
export function findFamily<Row extends Family>(rows: readonly Row[], config: ModelConfig): Row {
  const found = matchFamily(rows, config)
  if (found !== undefined) return found
  const known = rows.flatMap((row) => row.architectures).join(', ')
  throw new ModelFormatError(config.file, `a model of one of the architectures ${known}`, describe(config))
}

/** The same, undefined where no row reads it. */
export function matchFamily<Row extends Family>(
  rows: readonly Row[],
  { architectures, modelType }: ModelConfig,
): Row | undefined {
  if (architectures.length === 0 && modelType === undefined) return undefined
  return rows.find(
    (row) =>
      (architectures.length === 0 || architectures.some((name) => row.architectures.includes(name))) &&
      (modelType === undefined || row.modelTypes.includes(modelType)),
  )
}

function describe({ architectures, modelType }: ModelConfig): string {
  const said = [architectures.join(', '), modelType && `model_type ${modelType}`].filter(Boolean)
  if (said.length === 0) return 'neither architectures nor model_type'
  const kind = explainUnsupported([...architectures, modelType ?? ''])
  return [shorten(said.join(' with ')), kind].filter(Boolean).join(', ')
}

/** As it fits into an error. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
