import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { abortedBy } from '../../errors/aborted-by.ts'
import { DownloadFailedError, InvalidRequestError, TesseraError } from '../../errors/index.ts'
import { isUnwritable } from '../files/is-unwritable.ts'
import { withLock } from '../files/with-lock.ts'
import { writeWhole } from '../files/write-whole.ts'
import { type Environment, hubIdInAddress, isHubId, repositoryFolder, repositoryLock } from '../find/hub-cache.ts'
import { isModelPath } from '../find/is-model-path.ts'
import { expandName, KNOWN_MODELS } from '../find/known-models.ts'
import { splitChoice } from '../gguf/choose-gguf.ts'
import { isGgufPath } from '../gguf/gguf-path.ts'
import type { PipelinePart } from '../pipeline-parts.ts'
import { fetchFiles, type PullProgress } from './fetch-files.ts'
import { connect, type Hub, patient } from './hub-client.ts'
import { findOffline } from './offline.ts'
import { explain, listRemoteFiles } from './remote-files.ts'
import type { PullRetry } from './retry.ts'
import { makeSnapshot } from './snapshot.ts'

/** What the hub's own tools take for true in a variable. */
const TRUE = /^(?:1|on|yes|true)$/i

export interface PullOptions {
  /** `owner/name` on the hub, with `:part` of the name of one of its GGUF files, or a short name of known-models.ts. */
  readonly id: string
  /** Branch, tag or commit. @defaultValue `main` */
  readonly revision?: string
  /** Parts of a pipeline whose weights are elsewhere: their configurations come, their weights do not. */
  readonly without?: readonly PipelinePart[]
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (progress: PullProgress) => void
  /** Called before something is tried again after a broken connection or an answer such as 429 or 503. */
  readonly onRetry?: (retry: PullRetry) => void
  /** Called once where another process downloads the same model, which is waited for. */
  readonly onWait?: () => void
  /**
   * `HF_ENDPOINT`, `HF_TOKEN`, `HF_TOKEN_PATH`, `HF_HOME`, `HF_HUB_CACHE`, `HF_HUB_OFFLINE`, as the hub's own tools read
   * them, and `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`.
   */
  readonly env?: Environment
}

/**
 * Downloads a checkpoint into the hub's cache, in the layout of the hub's own tools, which share it. Files that are there
 * already are not fetched again, an interrupted file is continued, every file is checked against the repository's hash,
 * and one process at a time downloads a model. Weights in a form that is not read are refused before they come. With
 * `HF_HUB_OFFLINE` it asks nobody and checks that what is there is whole.
 *
 * @returns the snapshot folder with the model's files, or the GGUF file
 * @throws InvalidRequestError for a bad id, ModelNotFoundError, ModelFormatError, DownloadFailedError, AbortedError
 */
export async function pullModel(given: PullOptions): Promise<string> {
  const { id, wanted } = readPullName(given.id)
  const options = { ...given, id }
  const { revision = 'main', signal, env = process.env } = options
  const offline = readOffline(env)
  if (offline !== undefined) return findOffline({ id, wanted, revision, without: options.without }, env, offline)
  const hub = await connect(env, signal)
  const repository = repositoryFolder(id, env)
  try {
    const listing = patient(hub, signal, options.onRetry)
    const { commit, files } = await listRemoteFiles(listing, { id, revision, wanted, without: options.without })
    const snapshot = join(repository, 'snapshots', commit)
    const lock = { signal, onWait: () => options.onWait?.() }
    await withLock(repositoryLock(id, env), lock, async () => {
      await fetchFiles({ ...options, hub, commit, files, repository, snapshot })
      await makeSnapshot({ repository, snapshot }, files)
      if (revision !== commit) await writeReference(join(repository, 'refs', revision), commit)
    })
    const gguf = files.find(({ path }) => isGgufPath(path))
    // Only one that is a whole model comes without configurations.
    const isFolder = gguf === undefined || files.some(({ path }) => path.endsWith('.json'))
    return isFolder ? snapshot : join(snapshot, gguf.path)
  } catch (error) {
    throw explainPull(error, { hub, id, signal })
  }
}

/** What of the hub is meant. @throws InvalidRequestError for a bad name */
export function readPullName(given: string): { readonly id: string; readonly wanted: string | undefined } {
  const name = splitChoice(expandName(given))
  if (isHubId(name.id)) return name
  const inAddress = hubIdInAddress(given)
  if (inAddress) throw new InvalidRequestError('model', `must be a name, got an address; give ${inAddress}`)
  if (isModelPath(given) || existsSync(given)) {
    const path = isModelPath(given) ? given : `./${given}`
    throw new InvalidRequestError(
      'model',
      `must be <owner>/<name> on the hub, got the path ${path}; what is on this machine needs no pull: --use ${path} runs it, and npx tessera-onnx quantize ${path} out makes a copy in fewer bits`,
    )
  }
  const short = [...KNOWN_MODELS.keys()].join(', ')
  throw new InvalidRequestError('model', `must be <owner>/<name> on the hub, or one of ${short}; got '${name.id}'`)
}

/** The variable by which nobody is to be asked, as an error says it. */
export function readOffline(env: Environment): string | undefined {
  const offline = env['HF_HUB_OFFLINE'] ?? ''
  return TRUE.test(offline) ? `HF_HUB_OFFLINE is ${offline}` : undefined
}

/** What the caller is told of an error of the hub, the disk or the signal. */
export function explainPull(
  error: unknown,
  { hub, id, signal }: { readonly hub: Hub; readonly id: string; readonly signal: AbortSignal | undefined },
): TesseraError {
  return signal?.aborted ? abortedBy(signal) : asTesseraError(explain(error, hub, id), id)
}

async function writeReference(path: string, commit: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  // One that is cut off would hide a revision that was here before.
  await writeWhole(path, commit)
}

function asTesseraError(error: unknown, id: string): TesseraError {
  if (TesseraError.isInstance(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  const remedy = isUnwritable(error)
    ? 'take a folder that can be written and has room: HF_HOME says where models go, --out where a quantised copy does'
    : 'run the command again to continue'
  return new DownloadFailedError(id, `${reason}; ${remedy}`, { cause: error })
}
