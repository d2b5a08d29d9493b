import { existsSync } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ModelNotFoundError } from '../../errors/index.ts'
import { AGENT_FILE } from '../configs/model-config.ts'
import { exists } from '../files/exists.ts'
import { findGguf, fittingGguf, splitChoice } from '../gguf/choose-gguf.ts'
import { isGgufPath, isWeightsPath } from '../gguf/gguf-path.ts'
import { ADAPTER_FILE } from '../lora/adapter-config.ts'
import { EMBEDDED_MODELS } from './embedded-models.ts'
import { findInHubCache, hubCacheFolder, hubIdInAddress, isHubId } from './hub-cache.ts'
import { isModelPath } from './is-model-path.ts'
import { expandName } from './known-models.ts'
import { locateOwn } from './locate-own.ts'
import { unpackedFolder } from './unpacked-folder.ts'

/** One of these is in the folder of every model: of a language model or encoder, of an image pipeline, of a Laya agent, of an adapter, or of parts that lie elsewhere. */
const INDEX_FILES = ['config.json', 'model_index.json', AGENT_FILE, ADAPTER_FILE, 'tessera.json']

/** Of the files that a name fits, in an error. */
const MOST_SHOWN = 3

export interface ModelSource {
  /** Name of the model that runs, as `owner/name`, with `:` and the path of a GGUF file in it, a path, or an embedded model's name. */
  readonly id: string
  /** Folder with its files, or GGUF file. */
  readonly folder: string
  readonly embedded: boolean
}

async function isModel(folder: string): Promise<boolean> {
  if (isWeightsPath(folder)) return exists(folder)
  return (await Promise.all(INDEX_FILES.map((name) => exists(join(folder, name))))).includes(true)
}

async function listTried(path: string): Promise<string[]> {
  for (const place of [path, join(path, INDEX_FILES[0]!)]) {
    const refusal = await findRefusal(place)
    if (refusal !== undefined) return [`${path}, which cannot be read (${refusal})`]
  }
  if (!(await exists(path))) return [`${path}, which is not there`]
  if ((await stat(path)).isFile()) return [`${path}, which is a file, where a folder or a GGUF file is expected`]
  return INDEX_FILES.map((name) => join(path, name))
}

/** The code of what keeps this process from seeing whether something is there. */
function findRefusal(path: string): Promise<string | undefined> {
  return access(path).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => (code === 'ENOENT' || code === 'ENOTDIR' ? undefined : code),
  )
}

/** The path of a GGUF file in a folder that was given in its place. */
async function suggestGguf(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  const file = names.sort().find(isGgufPath)
  return file && `the same with ${folder.replace(/[\\/]+$/, '')}/${file}, a GGUF file in that folder`
}

/**
 * Folders that may be the package's own `models`, the first of which the built package has. Tools that copy what a program loads, as
 * @vercel/nft does for Nuxt and Vercel, find it by this very form of address. From source, and in `out`, it is another one.
 */
function* modelFolders(): Generator<URL> {
  yield new URL(/* webpackIgnore: true */ '../models/', import.meta.url)
  for (const above of import.meta.url.endsWith('.ts') ? ['../../../'] : ['./', '../../'])
    yield new URL(/* webpackIgnore: true */ `${above}models/`, import.meta.url)
}

/** @throws InternalError where there is no folder of one that the package has */
function embeddedFolder(model: string): string | undefined {
  if (!Object.values(EMBEDDED_MODELS).includes(model)) return undefined
  const locate = () => {
    const places = Array.from(modelFolders(), (folder) => new URL(`${model}/`, folder))
    return places.find((place) => existsSync(place)) ?? places[0]!
  }
  return unpackedFolder(fileURLToPath(locateOwn(`models/${model}`, locate)).replace(/[\\/]$/, ''))
}

/** What a name means of a repository in the cache: its folder, as '', or those of its GGUF files, `/` between folders, that the part of a name fits. */
async function listMeant(folder: string, wanted: string | undefined): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch((): string[] => [])
  const paths = found.map((path) => path.replaceAll('\\', '/'))
  const isWhole = wanted === undefined && (!paths.some(isGgufPath) || isOneModel(paths))
  return isWhole ? [''] : fittingGguf(paths, wanted)
}

/** Whether the files of a repository belong together. GGUF files alone may lie beside the configuration of what they were made of. */
function isOneModel(paths: readonly string[]): boolean {
  const indexes = INDEX_FILES.filter((name) => paths.includes(name))
  return indexes.some((name) => name !== 'config.json' || paths.some((path) => path.endsWith('.safetensors')))
}

/** The folder of a repository; of one of GGUF files the file. @throws ModelFormatError naming all that there are */
export async function findCached(folder: string, id: string, wanted: string | undefined): Promise<string> {
  const [path, ...others] = await listMeant(folder, wanted)
  return path === undefined || others.length > 0 ? findGguf(folder, wanted, id) : join(folder, path)
}

/** Whoever asked may know nothing of the files, and may be anybody: a few show what to give. */
function severalFit(model: string, id: string, paths: readonly string[]): ModelNotFoundError {
  const more = paths.length > MOST_SHOWN ? ` and ${paths.length - MOST_SHOWN} more` : ''
  const tried = `GGUF files of ${id}, of which it fits ${paths.slice(0, MOST_SHOWN).join(', ')}${more}`
  return new ModelNotFoundError(model, [tried], `the same with ${id}:${paths[0]}, or another of them`)
}

/**
 * Finds the files of a model: the path of a folder or GGUF file (starting with `/`, `./`, `../` or a drive), an embedded model's name, or a hub
 * id `owner/name`, or a short name of one (known-models.ts), that was downloaded into the hub's cache; of a repository of GGUF
 * files `owner/name:part`, with a part of the name of one. Never downloads.
 *
 * @throws ModelNotFoundError saying where it looked, or which files a name fits, and which command gets the model
 */
export async function resolveModel(
  model: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<ModelSource> {
  if (isModelPath(model)) {
    const folder = resolve(model)
    if (await isModel(folder)) return { id: model, folder, embedded: false }
    throw new ModelNotFoundError(
      model,
      await listTried(folder),
      (await suggestGguf(model)) ??
        'the same with the path of a model that is there, or npx tessera-onnx pull <owner>/<name>, and give that name',
    )
  }
  const embedded = embeddedFolder(model)
  if (embedded !== undefined) return { id: model, folder: embedded, embedded: true }
  const name = expandName(model)
  const { id, wanted } = splitChoice(name)
  const cached = isHubId(id) ? await findInHubCache(id, env) : undefined
  // A request may name any file, so that none or several are no fault of those that are there.
  const [path, ...others] = cached === undefined ? [] : await listMeant(cached, wanted)
  if (path !== undefined && others.length > 0) throw severalFit(model, id, [path, ...others])
  if (cached !== undefined && path !== undefined)
    return { id: wanted === undefined ? id : `${id}:${path}`, folder: join(cached, path), embedded: false }
  const tried = ['the embedded models', hubCacheFolder(env)]
  if (await isModel(resolve(model)))
    throw new ModelNotFoundError(
      model,
      tried,
      `the same with ./${model}, for the ${isWeightsPath(model) ? 'file' : 'folder'} of that name`,
    )
  throw new ModelNotFoundError(
    model,
    tried,
    isHubId(id)
      ? `npx tessera-onnx pull ${model}`
      : `npx tessera-onnx pull ${hubIdInAddress(model) ?? '<owner>/<name>'}, and give that name`,
  )
}
