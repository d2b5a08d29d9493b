import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findRuntimeFolders, findSurplus, type RuntimeFolders, type SurplusOptions } from '../../backends/index.ts'
import { InvalidRequestError } from '../../errors/index.ts'

export interface Pruned {
  /** What is gone, or would be. */
  readonly removed: readonly string[]
  /** Bytes that it took. */
  readonly bytes: number
}

export interface PruneOptions extends SurplusOptions {
  /** Only says what would be removed. */
  readonly dryRun: boolean
}

/**
 * Removes files of onnxruntime that an app on one platform never loads, for images of containers and functions.
 *
 * @throws InvalidRequestError for a platform that onnxruntime-node has no binary of, or files that cannot be removed
 */
export async function pruneRuntime(
  options: PruneOptions,
  folders: RuntimeFolders = findRuntimeFolders(),
): Promise<Pruned> {
  const removed = await findSurplus(folders, options)
  const sizes = await Promise.all(removed.map(weigh))
  if (!options.dryRun) for (const path of removed) await remove(path)
  return { removed, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((cause: NodeJS.ErrnoException) => {
    const reason = `${path} cannot be removed (${cause.code}); run it as who installed node_modules, and before that becomes read-only`
    throw new InvalidRequestError('prune', reason, { cause })
  })
}

/** Bytes of a file, or of all files of a folder. */
async function weigh(path: string): Promise<number> {
  const info = await stat(path)
  if (!info.isDirectory()) return info.size
  const sizes = await Promise.all((await readdir(path)).map((name) => weigh(join(path, name))))
  return sizes.reduce((sum, size) => sum + size, 0)
}
