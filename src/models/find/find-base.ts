import { isAbsolute, relative, resolve } from 'node:path'
import { ModelFormatError, ModelNotFoundError } from '../../errors/index.ts'
import { findInHubCache, hubCacheFolder, isHubId } from './hub-cache.ts'
import { isModelPath } from './is-model-path.ts'

/** Another model on this machine that a folder builds on. */
export interface Base {
  readonly path: string
  /** Absent of a path. */
  readonly name?: string
}

/** Where a base is named. */
interface Origin {
  readonly folder: string
  readonly file: string
  readonly field: string
  /** Branch, tag or commit of a hub id. @defaultValue 'main' */
  readonly revision?: string | undefined
}

/**
 * Finds what a folder names as its base: a hub id that was downloaded, or a path that is meant from the folder. A folder that
 * was downloaded itself may name only what was downloaded too, since its text comes from elsewhere.
 *
 * @param file that names it and `field` in it, for errors
 * @throws ModelNotFoundError, ModelFormatError
 */
export async function findBase(base: string, { folder, file, field, revision = 'main' }: Origin): Promise<Base> {
  if (isHubId(base)) {
    const path = await findInHubCache(base, process.env, revision)
    if (path !== undefined) return { path, name: base }
    const command = `npx tessera-onnx pull ${base}${revision === 'main' ? '' : ` --revision ${revision}`}`
    throw new ModelNotFoundError(base, [hubCacheFolder(process.env)], command)
  }
  if (isModelPath(base) && !isDownloaded(folder)) return { path: resolve(folder, base) }
  const expected = `a hub id as ${field}, or the path of a folder where this one is given by its path`
  throw new ModelFormatError(file, expected, base.slice(0, 200))
}

/** Whether a folder is one of the hub's cache. */
export function isDownloaded(path: string): boolean {
  const way = relative(resolve(hubCacheFolder(process.env)), resolve(path))
  // The relative path from one drive to another is an absolute one.
  return !way.startsWith('..') && !isAbsolute(way)
}
