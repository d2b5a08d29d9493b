import { mkdir, readFile, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DownloadFailedError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import { isWhole } from '../files/is-whole.ts'
import { formatBytes } from '../format-bytes.ts'
import { downloadBlob } from './download-file.ts'
import type { Hub } from './hub-client.ts'
import { adoptPartial, partialOf } from './partial-file.ts'
import { describesWeights, refuseUnreadWeights } from './refuse-unread-weights.ts'
import type { RemoteFile } from './remote-files.ts'
import type { PullRetry } from './retry.ts'
import { blobOf, type SnapshotPlace } from './snapshot.ts'

export interface PullProgress {
  readonly stage: 'download'
  /** Bytes on the disk so far, and of all files. */
  readonly done: number
  readonly total: number
  /** The file inside the repository that is being downloaded. */
  readonly file: string
}

/** What of a repository is downloaded, and where to. */
export interface FilesDownload extends SnapshotPlace {
  readonly id: string
  readonly hub: Hub
  readonly commit: string
  readonly files: readonly RemoteFile[]
  /** Folders of a pipeline whose weights are elsewhere. */
  readonly without?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: PullProgress) => void) | undefined
  readonly onRetry?: ((retry: PullRetry) => void) | undefined
}

/**
 * Downloads all files that are not there yet, or not in their size, as blobs. Those that say how weights are stored come first, so that weights
 * which are not read are refused before they come.
 *
 * @throws ModelFormatError naming a quantisation that is not read, DownloadFailedError
 */
export async function fetchFiles(all: FilesDownload): Promise<void> {
  const { repository, snapshot, onProgress, without = [], ...download } = all
  const isConfig = ({ path }: RemoteFile) => describesWeights(path, without)
  const files = [...all.files.filter(isConfig), ...all.files.filter((file) => !isConfig(file))]
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const missing = new Set<RemoteFile>()
  let needed = 0
  for (const file of files) {
    const blob = blobOf(repository, file)
    if ((await isWhole(join(snapshot, file.path), file)) || (await isWhole(blob, file))) continue
    missing.add(file)
    // A disk that was full or a machine that stopped has left its beginning. What it is worth shows when the hash is checked.
    if (await exists(blob)) await rename(blob, partialOf(blob))
    needed += Math.max(0, file.size - (await adoptPartial(blob)))
  }
  await checkSpace(download.id, repository, needed)
  let before = 0
  for (const file of files) {
    const report = (bytes: number) => onProgress?.({ stage: 'download', done: before + bytes, total, file: file.path })
    const blob = blobOf(repository, file)
    // The first of several files with the same content brings it.
    if (missing.has(file) && !(await exists(blob))) await downloadBlob({ ...download, file, blob, onBytes: report })
    if (isConfig(file)) {
      // Where links are not allowed a snapshot has the file itself in place of the blob.
      const text = await readFile((await exists(blob)) ? blob : join(snapshot, file.path), 'utf8')
      refuseUnreadWeights(text, `${download.id}/${file.path}`, file.path.includes('/'))
    }
    report(file.size)
    before += file.size
  }
}

/** The space is checked before work starts, as a disk that fills up at 90 % of 8 GB costs an hour. */
export async function checkSpace(id: string, repository: string, needed: number): Promise<void> {
  await mkdir(repository, { recursive: true })
  const { bavail, bsize } = await statfs(repository)
  const left = bavail * bsize
  if (left >= needed) return
  throw new DownloadFailedError(id, `it needs ${formatBytes(needed)}, ${repository} has ${formatBytes(left)} left`)
}
