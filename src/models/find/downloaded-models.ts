import { readdir, rm } from 'node:fs/promises'
import { InvalidRequestError, ModelNotFoundError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import { measureFolder } from '../files/measure-folder.ts'
import { withLock } from '../files/with-lock.ts'
import { removeUnpacked } from '../quantize/unpacked-models.ts'
import {
  type Environment,
  findInHubCache,
  hubCacheFolder,
  isHubId,
  repositoryFolder,
  repositoryLock,
} from './hub-cache.ts'
import { expandName } from './known-models.ts'

/** A model in the hub's cache, by this library or by the hub's own tools. */
export interface DownloadedModel {
  /** `owner/name` */
  readonly id: string
  /** Folder of its `main` revision, or of its only one; absent where nothing of it is whole. */
  readonly folder?: string
  /** Bytes on the disk, of all its revisions and of what an interrupted download has left. */
  readonly bytes: number
}

/** The models of the hub's cache, by name. */
export async function listDownloaded(env: Environment): Promise<DownloadedModel[]> {
  const names = (await readdir(hubCacheFolder(env)).catch(() => [])).filter((name) => name.startsWith('models--'))
  const ids = names.map((name) => name.slice('models--'.length).replace('--', '/')).filter(isHubId)
  return Promise.all(ids.toSorted().map((id) => look(id, env)))
}

/**
 * Removes every revision of a downloaded model, after a download of it that is going on has ended.
 *
 * @returns what was removed
 * @throws InvalidRequestError for anything but `owner/name` or a short name of one, ModelNotFoundError
 */
export async function removeDownloaded(
  name: string,
  env: Environment,
  { signal, onWait }: { readonly signal: AbortSignal | undefined; onWait(): void },
): Promise<DownloadedModel> {
  const id = expandName(name)
  if (!isHubId(id)) {
    const reason = `must be <owner>/<name> of a downloaded model, or the path of one that was unpacked into the cache, got '${id}'`
    throw new InvalidRequestError('model', reason)
  }
  const folder = repositoryFolder(id, env)
  if (!(await exists(folder)))
    throw new ModelNotFoundError(id, [hubCacheFolder(env)], 'npx tessera-onnx models, for what is there')
  return withLock(repositoryLock(id, env), { signal, onWait }, async () => {
    const model = await look(id, env)
    await removeUnpacked(folder, env)
    await rm(folder, { recursive: true, force: true })
    return model
  })
}

async function look(id: string, env: Environment): Promise<DownloadedModel> {
  const [folder, bytes] = await Promise.all([findInHubCache(id, env), measureFolder(repositoryFolder(id, env))])
  return { id, bytes, ...(folder !== undefined && { folder }) }
}
