import { HubApiError, listFiles, modelInfo } from '@huggingface/hub'
import { DownloadFailedError, InvalidRequestError, ModelFormatError, ModelNotFoundError } from '../../errors/index.ts'
import { chooseGguf } from '../gguf/choose-gguf.ts'
import { isGgufPath, isWeightsPath } from '../gguf/gguf-path.ts'
import type { PartsManifest } from '../parts/parts-manifest.ts'
import { PART_FOLDERS } from '../pipeline-parts.ts'
import type { ContentName } from './blob-hash.ts'
import { chooseFiles } from './choose-files.ts'
import { chooseParts } from './choose-parts.ts'
import type { Hub } from './hub-client.ts'
import { readRemoteManifest } from './remote-manifest.ts'
import { describeCause, isBrokenConnection, PassingAnswer } from './retry.ts'

export interface RemoteFile {
  /** Inside the repository, `/` between folders. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly content: ContentName
}

export interface RemoteModel {
  /** The commit that the revision stands for now; 40 hex digits. */
  readonly commit: string
  readonly files: readonly RemoteFile[]
}

/** Which files of a repository are wanted. */
export interface Wanted {
  readonly id: string
  readonly revision: string
  /** Part of the name of a GGUF file. */
  readonly wanted?: string | undefined
  /** Folders of a pipeline whose weights are not. */
  readonly without?: readonly string[] | undefined
}

/**
 * Asks the hub which files of a repository Tessera needs.
 *
 * @throws ModelNotFoundError, InvalidRequestError naming a revision that the model does not have, ModelFormatError when the
 *   repository has neither safetensors nor the GGUF file, DownloadFailedError
 */
export async function listRemoteFiles(hub: Hub, { id, revision, wanted, without }: Wanted): Promise<RemoteModel> {
  try {
    const { sha } = await modelInfo({ ...hub, name: id, revision, additionalFields: ['sha'] })
    requireHash({ algorithm: 'git', hash: sha }, id)
    const all = new Map<string, RemoteFile>()
    for await (const { type, path, size, oid, lfs } of listFiles({
      ...hub,
      repo: id,
      revision: sha,
      recursive: true,
    })) {
      // Windows takes a backslash for a slash.
      if (type !== 'file' || path.includes('\\') || path.split('/').includes('..')) continue
      all.set(path, { path, size, content: { algorithm: lfs ? 'sha256' : 'git', hash: lfs?.oid ?? oid ?? '' } })
    }
    const paths = [...all.keys()]
    const manifest = hasManifest(paths) && wanted === undefined ? await readRemoteManifest(hub, id, sha) : undefined
    const chosen = chooseRemote(paths, { id, wanted, without }, manifest)
    const files = chosen.map((path) => all.get(path) as RemoteFile)
    for (const { content } of files) requireHash(content, id)
    return { commit: sha, files }
  } catch (error) {
    if (isUnknownRevision(error)) {
      const reason = `must be a branch, tag or commit of ${id}, got '${revision}'; ${hub.hubUrl}/${id}/tree/main lists them`
      throw new InvalidRequestError('revision', reason, { cause: error })
    }
    throw explain(error, hub, id)
  }
}

/** The hub answers 404 both for a model and for a revision that does not exist, and says in words which it is. */
function isUnknownRevision(error: unknown): boolean {
  return (
    error instanceof HubApiError &&
    error.statusCode === 404 &&
    String(error.data?.['error']).startsWith('Invalid rev id')
  )
}

/** Whether `tessera.json` may say where parts of a pipeline are; that of a model says other things. */
function hasManifest(paths: readonly string[]): boolean {
  return paths.includes('tessera.json') && (paths.includes('model_index.json') || !paths.includes('config.json'))
}

/** Paths of what is wanted: a GGUF file where one is named, or where the repository has nothing else. */
function chooseRemote(
  paths: readonly string[],
  { id, wanted, without }: Omit<Wanted, 'revision'>,
  manifest: PartsManifest | undefined,
): string[] {
  const isPipeline = wanted === undefined && (paths.includes('model_index.json') || manifest !== undefined)
  const files = chooseFiles(paths, isPipeline)
  if (isPipeline && (manifest !== undefined || paths.some(isOfPart) || !paths.some(isGgufPath))) {
    // Weights may lie in other folders than those of the parts, beside some that nothing reads.
    const texts = files.filter((path) => !/\.safetensors(?:\.index\.json)?$/.test(path))
    return [...new Set([...texts, ...chooseParts({ id, paths, manifest, without: without ?? [] })])]
  }
  if (wanted === undefined && !isPipeline && files.some((path) => path.endsWith('.safetensors'))) return files
  if (wanted !== undefined || paths.some(isGgufPath)) {
    const chosen = chooseGguf(paths, wanted, id)
    const missing = chosen.find((path) => !paths.includes(path))
    if (missing === undefined) return [...paths.filter((path) => path === 'README.md'), ...chosen]
    throw new ModelFormatError(id, `${missing}, a part of the model`, 'no such file')
  }
  throw new ModelFormatError(
    id,
    'a repository with safetensors or GGUF files',
    'none; ONNX and .bin files are not read',
  )
}

/** Whether a file has weights of a part. Some repositories have the index of a pipeline beside GGUF files that are chosen by name, be they in folders. */
function isOfPart(path: string): boolean {
  const [folder = '', ...rest] = path.split('/')
  return rest.length > 0 && PART_FOLDERS.includes(folder) && isWeightsPath(path)
}

/** Hashes become names of files and folders. */
function requireHash({ algorithm, hash }: ContentName, id: string): void {
  const digits = algorithm === 'git' ? 40 : 64
  if (hash.length === digits && /^[0-9a-f]+$/.test(hash)) return
  throw new DownloadFailedError(id, `the hub answered with a hash that is not ${digits} hexadecimal digits`)
}

/** Turns an answer of the hub into what it means for the caller. */
export function explain(error: unknown, { hubUrl, hasToken }: Hub, id: string): unknown {
  if (isBrokenConnection(error)) {
    const reason = `${hubUrl} can't be reached: ${describeCause(error)}`
    const remedy =
      'Check the connection; HF_ENDPOINT names another hub, HTTPS_PROXY a proxy, HF_HUB_OFFLINE=1 takes what is there'
    return new DownloadFailedError(id, `${reason}. ${remedy}`, { cause: error })
  }
  if (error instanceof PassingAnswer) return new DownloadFailedError(id, explainPassing(error), { cause: error })
  if (!(error instanceof HubApiError)) return error
  const { statusCode: status } = error
  if (status === 404)
    return new ModelNotFoundError(id, [`${hubUrl}/${id}`], `npx tessera-onnx pull with a name that ${hubUrl} has`, {
      cause: error,
    })
  if (status !== 401 && status !== 403)
    return new DownloadFailedError(id, `the hub answered ${status}`, { cause: error })
  // The hub answers 401 for repositories that do not exist as well, unless the request has a token.
  const help = hasToken
    ? "the token has no access: accept the conditions on the model's page, or use another token"
    : 'no such model, or it needs a token: check the name, or set HF_TOKEN'
  return new InvalidRequestError('model', `${id}: ${help} (the hub answered ${status})`, { cause: error })
}

function explainPassing({ message, retryAfter }: PassingAnswer): string {
  const patience = retryAfter === undefined ? '' : ` and asks to wait for ${Math.ceil(retryAfter / 1000)} s`
  return `${message}${patience}. Run the command again later to continue`
}
