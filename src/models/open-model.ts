import { basename, dirname } from 'node:path'
import { openFp8 } from './fp8/open-fp8.ts'
import { isGgufPath } from './gguf/gguf-path.ts'
import { openGguf } from './gguf/open-gguf.ts'
import type { ModelFiles } from './model-files.ts'
import { openFolder } from './model-folder.ts'

/**
 * The files of a model on this machine, of which a GGUF file is all files in one. Weights in FP8 are shown as float32.
 *
 * @param path of its folder or GGUF file
 * @param name of the model. @defaultValue the last part of the path
 */
export function openModel(path: string, name?: string): ModelFiles {
  return isGgufPath(path) ? openGguf(openFolder(dirname(path)), basename(path)) : openFp8(openFolder(path, name))
}
