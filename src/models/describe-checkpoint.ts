import * as z from 'zod'
import { readModelConfig } from './configs/model-config.ts'
import { formatOf, nameFormat, quantizationFieldSchema } from './configs/quantization-config.ts'
import { readConfig, readOptionalConfig } from './configs/read-config.ts'
import type { ModelFiles } from './files/model-files.ts'
import { isImageBundle } from './is-image-bundle.ts'
import { listParts } from './list-parts.ts'
import { findStorageFile } from './quantize/find-matrices.ts'
import { indexWeights } from './weights/index-weights.ts'
import type { WeightIndex } from './weights/weight-index.ts'

/** The description of a checkpoint by its files; nothing is opened. */
export interface CheckpointDescription {
  readonly kind: 'decisions' | 'images'
  /** `architectures` of its `config.json`, or the class of its `model_index.json`. */
  readonly architecture: string
  /** Tokens of a state that it reads at once: those of `tessera.json`, else as many as it was made for; absent where neither is said. */
  readonly window?: number
  /** The types that its weights are stored in, most bytes first, such as `BF16` or `int8 in blocks of 64, F32`. */
  readonly weights: string
  /** Numbers in its weight files; of quantised ones with their scales. */
  readonly parameters: number
  /** Bytes of its weights. */
  readonly bytes: number
  /** The licence in the head of its card (`README.md`), such as `apache-2.0`; absent without one. */
  readonly licence?: string
}

const pipelineSchema = z.looseObject({ _class_name: z.string() })
const configSchema = z.looseObject({ quantization_config: quantizationFieldSchema })
const positionsSchema = z.looseObject({ max_position_embeddings: z.number().int().optional() })
const manifestSchema = z.looseObject({ window: z.looseObject({ tokens: z.number().int() }).optional() })

/** @throws ModelFormatError naming the file that is missing or wrong */
export async function describeCheckpoint(files: ModelFiles): Promise<CheckpointDescription> {
  const licence = readLicence(await files.readText('README.md'))
  if (!(await isImageBundle(files))) return { ...(await describeModel(files)), ...(licence && { licence }) }
  const { _class_name: architecture } = await readConfig(files, 'model_index.json', pipelineSchema, 'a pipeline')
  const parts = await Promise.all((await listParts(files)).map(({ folder }) => weighTensors(files.within(folder))))
  return { kind: 'images', architecture, ...sum(parts), ...(licence && { licence }) }
}

async function describeModel(files: ModelFiles): Promise<CheckpointDescription> {
  const config = await readModelConfig(files)
  const manifest = await readOptionalConfig(files, 'tessera.json', manifestSchema, 'a bundle manifest')
  const window = manifest?.window?.tokens ?? positionsSchema.safeParse(config.json).data?.max_position_embeddings
  return {
    kind: 'decisions',
    architecture: config.architectures.join(', ') || (config.modelType ?? 'unknown'),
    ...(window !== undefined && { window }),
    ...sum([await weighTensors(files, findStorageFile(config))]),
  }
}

/** Bytes of each way of storing. */
type Stored = Map<string, { bytes: number; parameters: number }>

/** @param storage path of the file that says how they are stored */
async function weighTensors(files: ModelFiles, storage = 'config.json'): Promise<Stored> {
  const [index, config] = await Promise.all([
    indexWeights(files),
    readOptionalConfig(files, storage, configSchema, 'the configuration of a model'),
  ])
  const quantization = config?.quantization_config
  const stored: Stored = new Map()
  for (const name of index.names) {
    const { dtype, length, shape } = index.get(name)!
    const blocks = quantization && hasScales(index, name) ? formatOf(quantization, name) : undefined
    const format = blocks ? nameFormat(blocks) : dtype
    const packed = blocks?.bits === 4 ? 2 : 1
    const before = stored.get(format) ?? { bytes: 0, parameters: 0 }
    const parameters = shape.reduce((product, side) => product * side, packed)
    stored.set(format, { bytes: before.bytes + length, parameters: before.parameters + parameters })
  }
  return stored
}

function hasScales(index: WeightIndex, name: string): boolean {
  return index.get(`${name}.scales`) !== undefined
}

function sum(parts: readonly Stored[]): Pick<CheckpointDescription, 'weights' | 'parameters' | 'bytes'> {
  const all: Stored = new Map()
  for (const [format, { bytes, parameters }] of parts.flatMap((part) => [...part])) {
    const before = all.get(format) ?? { bytes: 0, parameters: 0 }
    all.set(format, { bytes: before.bytes + bytes, parameters: before.parameters + parameters })
  }
  const sorted = [...all].toSorted(([, a], [, b]) => b.bytes - a.bytes)
  return {
    weights: sorted.map(([format]) => format).join(', '),
    parameters: sorted.reduce((total, [, { parameters }]) => total + parameters, 0),
    bytes: sorted.reduce((total, [, { bytes }]) => total + bytes, 0),
  }
}

/** The `license` (or, where that is `other`, the `license_name`) of the block of YAML that cards on the hub begin with. */
function readLicence(card: string | undefined): string | undefined {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card ?? '')?.[1] ?? ''
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*["']?([\\w.+-]+)`, 'm').exec(head)?.[1]
  const licence = field('license')
  return licence === 'other' ? (field('license_name') ?? licence) : licence
}
