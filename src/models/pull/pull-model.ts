import {
  access,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { AbortedError, DownloadFailedError, InvalidRequestError, TesseraError } from '../../errors/index.ts'
import { type Environment, hubCacheFolder, hubHome, isHubId } from '../hub-cache.ts'
import { downloadBlob } from './download-file.ts'
import { explain, type Hub, listRemoteFiles, type RemoteFile } from './remote-files.ts'

/** What the hub's own tools take for true in a variable. */
const TRUE = /^(?:1|on|yes|true)$/i

export interface PullProgress {
  readonly stage: 'download'
  /** Bytes on the disk so far, and of all files. */
  readonly done: number
  readonly total: number
}

export interface PullOptions {
  /** `owner/name` on the hub. */
  readonly id: string
  /** Branch, tag or commit. @defaultValue `main` */
  readonly revision?: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (progress: PullProgress) => void
  /** `HF_ENDPOINT`, `HF_TOKEN`, `HF_HOME`, `HF_HUB_CACHE`, `HF_HUB_OFFLINE`, as the hub's own tools read them. */
  readonly env?: Environment
}

/**
 * Downloads a checkpoint into the hub's cache, in the layout of the hub's own tools, which share it. Files that are there
 * already are not fetched again, an interrupted file is continued, and every file is checked against the repository's hash.
 *
 * @returns the snapshot folder with the model's files
 * @throws InvalidRequestError for a bad id, ModelNotFoundError, ModelFormatError, DownloadFailedError, AbortedError
 */
export async function pullModel(options: PullOptions): Promise<string> {
  const { id, revision = 'main', signal, env = process.env } = options
  if (!isHubId(id)) throw new InvalidRequestError('model', `must be <owner>/<name> on the hub, got '${id}'`)
  const offline = env['HF_HUB_OFFLINE'] ?? ''
  if (TRUE.test(offline)) throw new DownloadFailedError(id, `HF_HUB_OFFLINE is ${offline}; unset it to download`)
  const hub = await connect(env, signal)
  try {
    const { commit, files } = await listRemoteFiles(hub, id, revision)
    const repository = join(hubCacheFolder(env), `models--${id.replace('/', '--')}`)
    const snapshot = join(repository, 'snapshots', commit)
    await fetchFiles({ ...options, hub, commit, files, repository, snapshot })
    if (revision !== commit) await writeReference(join(repository, 'refs', revision), commit)
    return snapshot
  } catch (error) {
    throw signal?.aborted ? new AbortedError(undefined, { cause: error }) : asTesseraError(explain(error, hub, id), id)
  }
}

interface Snapshot extends PullOptions {
  readonly hub: Hub
  readonly commit: string
  readonly files: readonly RemoteFile[]
  readonly repository: string
  readonly snapshot: string
}

async function fetchFiles({
  id,
  hub,
  commit,
  files,
  repository,
  snapshot,
  signal,
  onProgress,
}: Snapshot): Promise<void> {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const blobOf = ({ content }: RemoteFile) => join(repository, 'blobs', content.hash)
  let before = 0
  const report = (bytes: number) => onProgress?.({ stage: 'download', done: before + bytes, total })
  const isThere = async (file: RemoteFile) => (await exists(join(snapshot, file.path))) || (await exists(blobOf(file)))
  let missing = 0
  for (const file of files)
    if (!(await isThere(file))) missing += Math.max(0, file.size - (await measurePartial(blobOf(file))))
  await checkSpace(id, repository, missing)
  for (const file of files) {
    const blob = blobOf(file)
    if (!(await isThere(file))) await downloadBlob({ hub, id, commit, file, blob, signal, onBytes: report })
    report(file.size)
    before += file.size
  }
  // After all of them, so that there is never a snapshot with files missing.
  for (const file of files) {
    const shared = files.some((other) => other !== file && other.content.hash === file.content.hash)
    await place(blobOf(file), join(snapshot, file.path), shared)
  }
}

/** Bytes of a file that an earlier download has left, which are continued. */
async function measurePartial(blob: string): Promise<number> {
  const names = await readdir(dirname(blob)).catch(() => [])
  const partial = names.filter((name) => name.startsWith(`${basename(blob)}.`) && name.endsWith('.incomplete'))
  const sizes = await Promise.all(
    partial.map((name) =>
      stat(join(dirname(blob), name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return Math.max(0, ...sizes)
}

/** Before work starts: a disk that fills up at 90 % of 8 GB costs an hour. */
async function checkSpace(id: string, repository: string, needed: number): Promise<void> {
  await mkdir(repository, { recursive: true })
  const { bavail, bsize } = await statfs(repository)
  if (bavail * bsize >= needed) return
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
  throw new DownloadFailedError(
    id,
    `it needs ${gigabytes(needed)}, ${repository} has ${gigabytes(bavail * bsize)} left`,
  )
}

/** @param shared whether another file has the same content */
async function place(blob: string, path: string, shared: boolean): Promise<void> {
  if (await exists(path)) return
  await mkdir(dirname(path), { recursive: true })
  try {
    await symlink(relative(dirname(path), blob), path)
  } catch (error) {
    // Another download was faster, or a link is there that leads nowhere.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      if (await exists(path)) return
      await rm(path, { force: true })
      return place(blob, path, shared)
    }
    // Windows lets only some users make links; the file itself does as well, as in the hub's own tools.
    await (shared ? copyFile(blob, path) : rename(blob, path))
  }
}

async function writeReference(path: string, commit: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, commit)
}

async function connect(env: Environment, signal: AbortSignal | undefined): Promise<Hub> {
  const token = env['HF_TOKEN'] ?? (await readFile(join(hubHome(env), 'token'), 'utf8').catch(() => ''))
  return {
    hubUrl: (env['HF_ENDPOINT'] ?? 'https://huggingface.co').replace(/\/$/, ''),
    fetch: (input, init) => fetch(input, signal ? { ...init, signal } : init),
    ...(token.trim() && { accessToken: token.trim() }),
  }
}

function asTesseraError(error: unknown, id: string): TesseraError {
  if (TesseraError.isInstance(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new DownloadFailedError(id, `${reason}; run the command again to continue`, { cause: error })
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
