import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ReadableStream } from 'node:stream/web'
import { DownloadFailedError } from '../../errors/index.ts'
import { formatBytes } from '../format-bytes.ts'
import { hashFile } from './blob-hash.ts'
import type { Hub } from './hub-client.ts'
import { partialOf, sizeOf } from './partial-file.ts'
import { pause } from './pause.ts'
import type { RemoteFile } from './remote-files.ts'
import { delayBefore, describeCause, type PullRetry, refusePassing } from './retry.ts'

export interface BlobDownload {
  readonly hub: Hub
  readonly id: string
  readonly commit: string
  readonly file: RemoteFile
  /** Where the content goes. What an interrupted download has left beside it is continued. */
  readonly blob: string
  readonly signal?: AbortSignal | undefined
  /** Bytes of this file on the disk so far. */
  onBytes(bytes: number): void
  readonly onRetry?: ((retry: PullRetry) => void) | undefined
}

/**
 * Downloads one file and checks its hash. A connection that breaks is made again from where it broke, as long as every
 * few tries bring something new; a file that was begun before and turns out wrong is fetched once more from its start.
 *
 * @throws DownloadFailedError naming the file, the bytes that have arrived and the cause
 */
export async function downloadBlob(download: BlobDownload): Promise<void> {
  const { id, file, blob, signal } = download
  await mkdir(dirname(blob), { recursive: true })
  const partial = partialOf(blob)
  const isRight = async () => (await hashFile(partial, file.size, file.content, signal)) === file.content.hash
  const wasBegun = (await sizeOf(partial)) > 0
  await complete(partial, download)
  let right = await isRight()
  if (!right && wasBegun) {
    // What others have left was no beginning of this file.
    await rm(partial)
    await complete(partial, download)
    right = await isRight()
  }
  if (!right) {
    await rm(partial)
    throw new DownloadFailedError(id, `the content of ${file.path} does not have the hash that the repository lists`)
  }
  await rename(partial, blob)
}

async function complete(partial: string, download: BlobDownload): Promise<void> {
  const { id, file, signal, onBytes, onRetry } = download
  let have = await sizeOf(partial)
  if (have > file.size) {
    await rm(partial)
    have = 0
  }
  onBytes(have)
  for (let tries = 0; have < file.size || file.size === 0; tries++) {
    const before = have
    try {
      await fetchRest(partial, have, download)
      if ((await sizeOf(partial)) === file.size) return
      throw new TypeError('terminated', { cause: new Error('the connection ended early') })
    } catch (error) {
      have = await sizeOf(partial)
      if (have > before) tries = 0
      const delay = signal?.aborted ? undefined : delayBefore(tries, error)
      if (delay === undefined) throw signal?.aborted ? error : explainEnd(id, file, have, error)
      onRetry?.({ file: file.path, reason: describeCause(error), delay })
      await pause(delay, signal)
    }
  }
}

/** Appends what is missing, by plain HTTP with a range: the hub's chunk protocol can't be continued from a file. */
async function fetchRest(partial: string, have: number, download: BlobDownload): Promise<void> {
  const { hub, id, commit, file, onBytes } = download
  const path = file.path.split('/').map(encodeURIComponent).join('/')
  const response = await hub.fetch(`${hub.hubUrl}/${id}/resolve/${commit}/${path}`, {
    headers: {
      ...(have > 0 && { range: `bytes=${have}-` }),
      // A compressed answer would have ranges of its own.
      'accept-encoding': 'identity',
    },
  })
  refusePassing(response)
  if (!response.ok || !response.body) {
    throw new DownloadFailedError(id, `${file.path} is listed, but the hub answered ${response.status} for it`)
  }
  // A server without ranges sends the whole file again.
  let done = response.status === 206 ? have : 0
  let isTooLong = false
  const target = await open(partial, done > 0 ? 'a' : 'w')
  try {
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      isTooLong = done + chunk.length > file.size
      if (isTooLong) break
      await target.write(chunk)
      onBytes((done += chunk.length))
    }
  } finally {
    await target.close()
  }
  if (!isTooLong) return
  // A disk may not have room for what such a hub sends.
  await rm(partial)
  throw new DownloadFailedError(
    id,
    `${file.path} is longer than the ${formatBytes(file.size)} that the repository lists`,
  )
}

function explainEnd(id: string, { path, size }: RemoteFile, have: number, error: unknown): unknown {
  if (error instanceof DownloadFailedError) return error
  const reason = `${path} stopped at ${formatBytes(have)} of ${formatBytes(size)}: ${describeCause(error)}`
  return new DownloadFailedError(id, `${reason}. Run the command again to continue`, { cause: error })
}
