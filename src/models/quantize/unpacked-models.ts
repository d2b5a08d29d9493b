import { readdir, readFile, realpath, rm } from 'node:fs/promises'
import { join, relative, resolve, isAbsolute } from 'node:path'
import { measureFolder } from '../files/measure-folder.ts'
import type { Environment } from '../find/hub-cache.ts'
import { SOURCE_FILE, unpackedFolder } from './unpack-weights.ts'

/** Weights in the cache that were made from a model of another format. */
export interface UnpackedModel {
  /** Path of the file or folder that they were made from. */
  readonly path: string
  /** Folder of the cache that has them. */
  readonly folder: string
  /** Bytes on the disk. */
  readonly bytes: number
}

/** What the cache has, by path. */
export async function listUnpacked(env: Environment): Promise<UnpackedModel[]> {
  const root = unpackedFolder(env)
  const names = await readdir(root).catch((): string[] => [])
  const found = await Promise.all(names.map((name) => look(join(root, name))))
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Removes what was unpacked of a file or folder, or of anything in it. A model that is open in another process goes on where
 * the system keeps files that are open.
 *
 * @returns what was removed
 */
export async function removeUnpacked(path: string, env: Environment): Promise<UnpackedModel[]> {
  const wanted = await realpath(path).catch(() => resolve(path))
  const within = (unpacked: UnpackedModel) => {
    const way = relative(wanted, unpacked.path)
    return !way.startsWith('..') && !isAbsolute(way)
  }
  const found = (await listUnpacked(env)).filter(within)
  for (const { folder } of found) await rm(folder, { recursive: true, force: true })
  return found
}

async function look(folder: string): Promise<UnpackedModel> {
  // What an interrupted process has left says nothing of its source.
  const path = await readFile(join(folder, SOURCE_FILE), 'utf8').catch(() => folder)
  // It may be a file, or another user's.
  return { path, folder, bytes: await measureFolder(folder).catch(() => 0) }
}
