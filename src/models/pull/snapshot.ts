import { copyFile, lstat, mkdir, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { exists } from '../files/exists.ts'
import { isWhole } from '../files/is-whole.ts'
import { isWeightsPath } from '../gguf/gguf-path.ts'
import type { RemoteFile } from './remote-files.ts'

/** Where the parts of a downloaded revision lie in the hub's cache. */
export interface SnapshotPlace {
  /** The folder of the model, `models--owner--name`. */
  readonly repository: string
  /** The folder of the revision. */
  readonly snapshot: string
}

export function blobOf(repository: string, { content }: RemoteFile): string {
  return join(repository, 'blobs', content.hash)
}

/**
 * Makes the folder of a revision out of links to the blobs. A new folder appears with all of its files at once, since
 * another process may look for the model meanwhile.
 */
export async function makeSnapshot(
  { repository, snapshot }: SnapshotPlace,
  files: readonly RemoteFile[],
): Promise<void> {
  const isNew = !(await exists(snapshot))
  const target = isNew ? join(repository, 'snapshot.incomplete') : snapshot
  if (isNew) await rm(target, { recursive: true, force: true })
  // The weights come last, so that a folder to which files are added is not taken for a whole model.
  const ordered = files.toSorted((a, b) => Number(isWeightsPath(a.path)) - Number(isWeightsPath(b.path)))
  for (const file of ordered) {
    const shared = files.some((other) => other !== file && other.content.hash === file.content.hash)
    const path = join(snapshot, file.path)
    if (await isWhole(join(target, file.path), file)) continue
    await place({ blob: blobOf(repository, file), path: join(target, file.path), seenFrom: dirname(path), shared })
  }
  if (!isNew) return
  await mkdir(dirname(snapshot), { recursive: true })
  await rename(target, snapshot)
}

interface Placement {
  readonly blob: string
  readonly path: string
  /** The folder that the link will be in. */
  readonly seenFrom: string
  /** Whether another file has the same content. */
  readonly shared: boolean
}

async function place({ blob, path, seenFrom, shared }: Placement): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // A link may be there that leads nowhere, or a file that is cut off.
  if (await lstat(path).catch(() => undefined)) await rm(path)
  try {
    await symlink(relative(seenFrom, blob), path)
  } catch {
    // Windows lets only some users make links; the file itself does as well, as in the hub's own tools.
    await (shared ? copyFile(blob, path) : rename(blob, path))
  }
}
