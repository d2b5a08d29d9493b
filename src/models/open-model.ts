import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { ModelFormatError, ModelNotFoundError } from '../errors/index.ts'
import { openFp8 } from './fp8/open-fp8.ts'
import { isGgufPath } from './gguf/gguf-path.ts'
import { openGguf } from './gguf/open-gguf.ts'
import { type Environment, findInHubCache, hubCacheFolder, isHubId } from './hub-cache.ts'
import { ADAPTER_FILE } from './lora/adapter-config.ts'
import { openAdapter } from './lora/open-adapter.ts'
import type { ModelFiles } from './model-files.ts'
import { openFolder } from './model-folder.ts'

/**
 * The files of a model on this machine. A GGUF file is all files in one, weights in FP8 are shown as float32, and an adapter
 * as its base with the changes in it.
 *
 * @param path of its folder or GGUF file
 * @param name of the model. @defaultValue the last part of the path
 */
export function openModel(path: string, name?: string): ModelFiles {
  if (isGgufPath(path)) return openGguf(openFolder(dirname(path)), basename(path))
  const files = openFp8(openFolder(path, name))
  return openAdapter(files, (base) => openBase(base, path))
}

/** The same with float matrices of what is quantised in a GGUF file. */
export function openFloats(path: string): ModelFiles {
  return isGgufPath(path) ? openGguf(openFolder(dirname(path)), basename(path), 'floats') : openModel(path)
}

/**
 * What an adapter was trained on. One that was downloaded may name only what was downloaded too, since its text comes from
 * elsewhere; another may name a path.
 */
async function openBase(base: string, adapter: string, env: Environment = process.env): Promise<ModelFiles> {
  if (isHubId(base)) {
    const cached = await findInHubCache(base, env)
    if (cached !== undefined) return openFp8(openFolder(cached, base))
    throw new ModelNotFoundError(base, [hubCacheFolder(env)], `npx tessera-onnx pull ${base}`)
  }
  const isPath = isAbsolute(base) || /^\.{1,2}[\\/]/.test(base)
  if (isPath && !isWithin(hubCacheFolder(env), adapter)) {
    const path = resolve(adapter, base)
    return isGgufPath(path) ? openFloats(path) : openFp8(openFolder(path))
  }
  const expected = 'a hub id as base_model_name_or_path, or the path of a folder where the adapter is given by its path'
  throw new ModelFormatError(join(adapter, ADAPTER_FILE), expected, base.slice(0, 200))
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(resolve(folder), resolve(path))
  // The relative path from one drive to another is an absolute one.
  return !way.startsWith('..') && !isAbsolute(way)
}
