import { basename, dirname, join } from 'node:path'
import { DownloadFailedError, TesseraError } from '../../errors/index.ts'
import { exists } from '../exists.ts'
import { findGguf, listGguf } from '../gguf/choose-gguf.ts'
import { readGguf } from '../gguf/gguf-file.ts'
import { type Environment, findInHubCache, hubCacheFolder } from '../hub-cache.ts'
import { indexWeights } from '../index-weights.ts'
import { openFolder } from '../model-folder.ts'
import { PIPELINE_PARTS } from '../pipeline-parts.ts'

/**
 * The snapshot of a model that was downloaded before, without asking the hub whether there is a newer one.
 *
 * @param why the hub is not asked
 * @throws DownloadFailedError where it is missing, or files of it are
 */
export async function findOffline(
  { id, wanted }: { readonly id: string; readonly wanted: string | undefined },
  env: Environment,
  why: string,
): Promise<string> {
  const remedy = 'Unset it to download'
  const snapshot = await findInHubCache(id, env)
  if (!snapshot) throw new DownloadFailedError(id, `${why}, and ${hubCacheFolder(env)} has no copy of it. ${remedy}`)
  const gguf = await listGguf(snapshot)
  if (wanted !== undefined || gguf.length > 0) return findWholeGguf(snapshot, { id, wanted }, why)
  const isPipeline = await exists(join(snapshot, 'model_index.json'))
  try {
    const folders = isPipeline ? PIPELINE_PARTS.map(({ folder }) => join(snapshot, folder)) : [snapshot]
    for (const folder of folders) await indexWeights(openFolder(folder))
    return snapshot
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    throw new DownloadFailedError(id, `${why}, and the copy is not whole: ${error.message}. ${remedy}`, {
      cause: error,
    })
  }
}

async function findWholeGguf(
  snapshot: string,
  { id, wanted }: { readonly id: string; readonly wanted: string | undefined },
  why: string,
): Promise<string> {
  try {
    const path = await findGguf(snapshot, wanted, id)
    await readGguf(openFolder(dirname(path)), basename(path))
    return path
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    throw new DownloadFailedError(id, `${why}, and the copy is not whole: ${error.message}. Unset it to download`, {
      cause: error,
    })
  }
}
