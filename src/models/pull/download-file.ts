import { downloadFile } from '@huggingface/hub'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { DownloadFailedError } from '../../errors/index.ts'
import { hashFile } from './blob-hash.ts'
import { claimPartial, leavePartial } from './partial-file.ts'
import type { Hub, RemoteFile } from './remote-files.ts'

export interface BlobDownload {
  readonly hub: Hub
  readonly id: string
  readonly commit: string
  readonly file: RemoteFile
  /** Where the content goes. What an interrupted download has left beside it is continued next time. */
  readonly blob: string
  readonly signal?: AbortSignal | undefined
  /** Bytes of this file on the disk so far. */
  onBytes(bytes: number): void
}

/** @throws DownloadFailedError when the connection breaks or the content is not what the repository lists */
export async function downloadBlob(download: BlobDownload): Promise<void> {
  const { id, file, blob } = download
  await mkdir(dirname(blob), { recursive: true })
  const partial = await claimPartial(blob)
  try {
    await complete(partial, download)
    if ((await hashFile(partial, file.size, file.content)) !== file.content.hash) {
      await rm(partial)
      throw new DownloadFailedError(id, `the content of ${file.path} does not have the hash that the repository lists`)
    }
    await rename(partial, blob)
  } catch (error) {
    await leavePartial(partial, blob)
    throw error
  }
}

async function complete(partial: string, { hub, id, commit, file, signal, onBytes }: BlobDownload): Promise<void> {
  let have = await sizeOf(partial)
  if (have > file.size) {
    await rm(partial)
    have = 0
  }
  onBytes(have)
  if (have === file.size && file.size > 0) return
  // Plain HTTP with ranges instead of the hub's chunk protocol, which can't be continued from a file.
  const remote = await downloadFile({ ...hub, repo: id, revision: commit, path: file.path, xet: false })
  if (remote === null) throw new DownloadFailedError(id, `${file.path} is listed but can't be fetched`)
  const body = Readable.fromWeb((have > 0 ? remote.slice(have) : remote).stream() as ReadableStream)
  body.on('data', (chunk: Uint8Array) => onBytes((have += chunk.length)))
  const target = createWriteStream(partial, { flags: have > 0 ? 'a' : 'w' })
  // The file is left to others only after the last write to it.
  const closed = new Promise<void>((resolve) => void target.once('close', resolve))
  await pipeline(body, target, { signal }).finally(() => closed)
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
