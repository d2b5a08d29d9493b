import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ModelNotFoundError } from '../../errors/index.ts'
import { AGENT_FILE } from '../configs/model-config.ts'
import { exists } from '../files/exists.ts'
import { findGguf, listGguf, splitChoice } from '../gguf/choose-gguf.ts'
import { isGgufPath, isWeightsPath } from '../gguf/gguf-path.ts'
import { ADAPTER_FILE } from '../lora/adapter-config.ts'
import { EMBEDDED_MODELS } from './embedded-models.ts'
import { findInHubCache, hubCacheFolder, hubIdInAddress, isHubId } from './hub-cache.ts'
import { isModelPath } from './is-model-path.ts'
import { expandName } from './known-models.ts'
import { locateOwn } from './locate-own.ts'

/** One of these is in the folder of every model: of a language model or encoder, of an image pipeline, of a Laya agent, of an adapter, or of parts that lie elsewhere. */
const INDEX_FILES = ['config.json', 'model_index.json', AGENT_FILE, ADAPTER_FILE, 'tessera.json']

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
  if (!(await exists(path))) return [`${path}, which is not there`]
  return INDEX_FILES.map((name) => join(path, name))
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
  return fileURLToPath(locateOwn(`models/${model}`, locate)).replace(/[\\/]$/, '')
}

/** The folder of a repository; of one of GGUF files the file. */
export async function findCached(folder: string, id: string, wanted: string | undefined): Promise<string> {
  const isFolder = wanted === undefined && ((await isModel(folder)) || (await listGguf(folder)).length === 0)
  return isFolder ? folder : findGguf(folder, wanted, id)
}

/** Whether a file was pulled that is meant: a request may name any, and that is no fault of the files which are there. */
async function hasPart(folder: string, wanted: string | undefined): Promise<boolean> {
  if (wanted === undefined) return true
  return (await listGguf(folder)).some((path) => path.toLowerCase().includes(wanted.toLowerCase()))
}

/** One name for each file, as many parts of its name mean it. */
function nameFile(id: string, path: string): string {
  return `${id}:${path.replaceAll('\\', '/')}`
}

/**
 * Finds the files of a model: the path of a folder or GGUF file (starting with `/`, `./`, `../` or a drive), an embedded model's name, or a hub
 * id `owner/name`, or a short name of one (known-models.ts), that was downloaded into the hub's cache; of a repository of GGUF
 * files `owner/name:part`, with a part of the name of one. Never downloads.
 *
 * @throws ModelNotFoundError saying where it looked and which command gets the model
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
      (await suggestGguf(model)) ?? 'npx tessera-onnx pull <owner>/<name>, and give that name',
    )
  }
  const embedded = embeddedFolder(model)
  if (embedded !== undefined) return { id: model, folder: embedded, embedded: true }
  const name = expandName(model)
  const { id, wanted } = splitChoice(name)
  const cached = isHubId(id) ? await findInHubCache(id, env) : undefined
  if (cached !== undefined && (await hasPart(cached, wanted))) {
    const folder = await findCached(cached, id, wanted)
    return { id: wanted === undefined ? id : nameFile(id, relative(cached, folder)), folder, embedded: false }
  }
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
