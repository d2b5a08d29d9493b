import { basename, dirname } from 'node:path/posix'
import { ModelFormatError } from '../../errors/index.ts'
import { readModelConfig } from '../configs/model-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { CONTROLNET, PIPELINE_PARTS, PREVIEW_DECODER } from '../pipeline-parts.ts'
import { findMatrices, findStorageFile } from '../quantize/find-matrices.ts'
import { HEAD_FILE } from '../quantize/quantize-weights.ts'
import { readShardIndex } from '../weights/index-weights.ts'
import { VARIANT_INDEX } from '../weights/weight-names.ts'
import type { RemoteFile } from './remote-files.ts'

/** Weights of a model that are quantised together: all of it, or a part of a pipeline. */
export interface QuantizedPart {
  /** Folder in the repository; empty for all of it. */
  readonly folder: string
  /** Names of the tensors to quantise. */
  readonly matrices: RegExp
  /** Path in the folder of the file that says how weights are stored. */
  readonly storage: string
  /** Names of its files of weights, without the folder. */
  readonly shards: readonly string[]
  /** Name of the file that says what is in which of several shards. */
  readonly index: string | undefined
}

/**
 * What of a repository is quantised.
 *
 * @param source has its texts
 * @throws ModelFormatError where it is of a kind that is not known, or has no weights
 */
export async function planParts(source: ModelFiles, files: readonly RemoteFile[]): Promise<QuantizedPart[]> {
  const paths = new Set(files.map(({ path }) => path))
  if (!paths.has('model_index.json')) return [await planPart('', source, paths)]
  const all = paths.has(`${CONTROLNET.folder}/config.json`) ? [...PIPELINE_PARTS, CONTROLNET] : PIPELINE_PARTS
  const quantised = all.filter((part) => part.quantised)
  return Promise.all(quantised.map(({ folder }) => planPart(folder, source.within(folder), paths)))
}

/** Files of weights that are taken as they are. */
export function listKept(files: readonly RemoteFile[]): RemoteFile[] {
  const parts = PIPELINE_PARTS.filter((part) => !part.quantised).map(({ folder }) => folder)
  const kept = [...parts, PREVIEW_DECODER].map((folder) => `${folder}/`)
  return files.filter(
    ({ path }) =>
      path.endsWith('.safetensors') && (path === HEAD_FILE || kept.some((folder) => path.startsWith(folder))),
  )
}

async function planPart(folder: string, source: ModelFiles, paths: ReadonlySet<string>): Promise<QuantizedPart> {
  const config = await readModelConfig(source)
  const [matrices, storage] = [findMatrices(config), findStorageFile(config)]
  const isThere = (name: string) => paths.has(folder === '' ? name : `${folder}/${name}`)
  // The same order as that in which a folder's weights are looked for.
  const found =
    findSingle('model', isThere) ??
    (await findShards('model.safetensors.index.json', source)) ??
    (await findShards('diffusion_pytorch_model.safetensors.index.json', source)) ??
    findSingle('diffusion_pytorch_model', isThere) ??
    (await findVariant(folder, source, paths))
  if (found === undefined)
    throw new ModelFormatError(source.location, 'safetensors of the model, or shards with their index', 'none')
  const missing = found.shards.find((name) => !isThere(name))
  if (missing === undefined) return { folder, matrices, storage, ...found }
  throw new ModelFormatError(`${source.location}/${missing}`, 'a file that the index names', 'no such file')
}

type Found = Pick<QuantizedPart, 'shards' | 'index'>

function findSingle(stem: string, isThere: (name: string) => boolean): Found | undefined {
  const name = `${stem}.safetensors`
  return isThere(name) ? { shards: [name], index: undefined } : undefined
}

async function findShards(index: string, source: ModelFiles): Promise<Found | undefined> {
  const shards = await readShardIndex(source, index)
  return shards && { shards: [...new Set(shards.values())].toSorted(), index }
}

/** Of a part of a pipeline, shards of a variant where there is one alone: the copy has them by the same names. */
async function findVariant(folder: string, source: ModelFiles, paths: ReadonlySet<string>): Promise<Found | undefined> {
  const inside = folder === '' ? [] : [...paths].filter((path) => dirname(path) === folder)
  const [index, ...others] = inside.map((path) => basename(path)).filter((name) => VARIANT_INDEX.test(name))
  return index === undefined || others.length > 0 ? undefined : findShards(index, source)
}
