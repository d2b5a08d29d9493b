import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ModelFormatError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { LATER_PART } from '../gguf/gguf-path.ts'
import { SHARD, USUAL_WEIGHTS, VARIANT_INDEX } from '../weights/weight-names.ts'

/** Where a part of a pipeline lies. */
export interface PartPlace {
  /** The folder that has its `config.json`. */
  readonly texts: ModelFiles
  /** The folder that has its weights. */
  readonly folder: ModelFiles
  /** Their file, where it has none of the usual names. */
  readonly file: string | undefined
}

/**
 * Finds the weights and the configuration of a part.
 *
 * @param named its path, where one is given: a file or a folder
 * @param folders that may have it, the first that has weights counts
 * @param besides whether the configuration may lie beside a file that is named, too
 * @returns undefined where there are no weights
 * @throws ModelFormatError where a path leads nowhere, or to files of which any could be meant
 */
export async function findPart(
  named: string | undefined,
  folders: readonly string[],
  besides = false,
): Promise<PartPlace | undefined> {
  if (named === undefined) {
    const found = await Promise.all(folders.map(findWeights))
    const weights = found.find((place) => place !== undefined)
    return weights && { ...weights, texts: await findTexts(folders) }
  }
  const stats = await stat(named).catch(() => undefined)
  if (stats === undefined) throw new ModelFormatError(named, 'the file or folder of a part', 'no such file')
  if (stats.isFile()) {
    const lies = dirname(named)
    const texts = await findTexts(besides ? [...folders, lies] : folders)
    return { folder: openFolder(lies), file: basename(named), texts }
  }
  const weights = await findWeights(named)
  if (weights !== undefined) return { ...weights, texts: await findTexts([named, ...folders]) }
  throw new ModelFormatError(named, 'a folder with weights in safetensors or GGUF', 'none')
}

async function findWeights(folder: string): Promise<Omit<PartPlace, 'texts'> | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  const files = openFolder(folder)
  if (USUAL_WEIGHTS.some((name) => names.includes(name))) return { folder: files, file: undefined }
  const indexes = names.filter((name) => VARIANT_INDEX.test(name))
  const isShard = (name: string) => indexes.length > 0 && SHARD.test(name)
  const [file, ...others] = names
    .filter((name) => /\.(?:safetensors|gguf)$/i.test(name) && !LATER_PART.test(name) && !isShard(name))
    .concat(indexes)
    .sort()
  if (others.length === 0 && file !== undefined && indexes.length > 0)
    return { folder: showVariant(files, file), file: undefined }
  if (others.length === 0) return file === undefined ? undefined : { folder: files, file }
  const got = [file, ...others].slice(0, 4).join(', ')
  throw new ModelFormatError(folder, 'one file of weights, or tessera.json with its path in "parts"', got)
}

/** A folder with shards of a variant, whose index stands under the usual name. */
function showVariant(files: ModelFiles, index: string): ModelFiles {
  const usual = index.replace(VARIANT_INDEX, '$1json')
  return { ...files, readText: (name) => files.readText(name === usual ? index : name) }
}

/** The first folder that has a configuration, else the first. */
async function findTexts(folders: readonly string[]): Promise<ModelFiles> {
  const found = await Promise.all(folders.map((folder) => exists(join(folder, 'config.json'))))
  return openFolder(folders[Math.max(0, found.indexOf(true))]!)
}
