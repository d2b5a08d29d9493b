import { basename, dirname, join } from 'node:path'
import { DownloadFailedError, TesseraError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { type Environment, findInHubCache, hubCacheFolder } from '../find/hub-cache.ts'
import { findCached } from '../find/resolve-model.ts'
import { readGguf } from '../gguf/gguf-file.ts'
import { isGgufPath } from '../gguf/gguf-path.ts'
import { findPart, type PartPlace } from '../parts/part-place.ts'
import { readPartsManifest } from '../parts/parts-manifest.ts'
import { PIPELINE_PARTS } from '../pipeline-parts.ts'
import { HEAD_FILE } from '../quantize/quantize-weights.ts'
import { indexFiles, indexWeights } from '../weights/index-weights.ts'
import { SHARD, USUAL_WEIGHTS } from '../weights/weight-names.ts'
import type { Wanted } from './remote-files.ts'

/**
 * What was downloaded of a model before, as it is found by its name, without asking the hub whether there is a newer one.
 *
 * @param why the hub is not asked
 * @returns the snapshot folder, or the GGUF file
 * @throws DownloadFailedError where it is missing, or files of it are
 */
export async function findOffline(
  { id, wanted, revision, without = [] }: Wanted,
  env: Environment,
  why: string,
): Promise<string> {
  const remedy = 'Unset it to download'
  const snapshot = await findInHubCache(id, env, revision)
  if (!snapshot) {
    const it = revision === 'main' ? 'it' : `its revision ${revision}`
    throw new DownloadFailedError(id, `${why}, and ${hubCacheFolder(env)} has no copy of ${it}. ${remedy}`)
  }
  try {
    const path = await findCached(snapshot, id, wanted)
    await (isGgufPath(path) ? readGguf(openFolder(dirname(path)), basename(path)) : requireWeights(path, without))
    return path
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    throw new DownloadFailedError(id, `${why}, and the copy is not whole: ${error.message}. ${remedy}`, {
      cause: error,
    })
  }
}

async function requireWeights(snapshot: string, without: readonly string[]): Promise<void> {
  const files = openFolder(snapshot)
  const manifest = await readPartsManifest(files, false)
  if (manifest === undefined && !(await exists(join(snapshot, 'model_index.json')))) return requireModel(files)
  for (const { folder } of PIPELINE_PARTS) {
    if (without.includes(folder)) continue
    const found = await findPart(manifest?.parts[folder], [join(snapshot, folder)])
    if (found !== undefined) await requirePart(found)
    // What a base has is looked for when the pipeline is opened.
    else if (manifest?.base === undefined) await indexWeights(files.within(folder))
  }
}

async function requirePart({ folder, file }: PartPlace): Promise<void> {
  if (file === undefined) await indexWeights(folder)
  else await (isGgufPath(file) ? readGguf(folder, file) : indexFiles(folder, [file]))
}

/** Adapters, and transformers that are published alone, have files of other names than models, each for itself. */
async function requireModel(files: ModelFiles): Promise<void> {
  const names = (await files.names?.()) ?? []
  const lone = names.filter((name) => name.endsWith('.safetensors') && !SHARD.test(name) && name !== HEAD_FILE)
  if (lone.length === 0 || names.some((name) => USUAL_WEIGHTS.includes(name))) return void (await indexWeights(files))
  for (const name of lone) await indexFiles(files, [name])
}
