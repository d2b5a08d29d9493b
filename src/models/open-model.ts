import { basename, dirname, join } from 'node:path'
import type { ModelFiles } from './files/model-files.ts'
import { openFolder } from './files/model-folder.ts'
import { findBase } from './find/find-base.ts'
import { openFp8 } from './fp8/open-fp8.ts'
import { isGgufPath, isWeightsPath } from './gguf/gguf-path.ts'
import type { Matrices } from './gguf/gguf-tensors.ts'
import { openGguf } from './gguf/open-gguf.ts'
import { openInt4 } from './int4/open-int4.ts'
import { ADAPTER_FILE } from './lora/adapter-config.ts'
import { openAdapter } from './lora/open-adapter.ts'
import { openParts } from './parts/open-parts.ts'
import { openLoneFile } from './parts/refuse-lone-part.ts'

/**
 * The files of a model on this machine. A GGUF file is all files in one, weights in FP8 are shown as float32, and an adapter
 * as its base with the changes in it.
 *
 * @param path of its folder or GGUF file
 * @param name of the model. @defaultValue the last part of the path
 */
export function openModel(path: string, name?: string): ModelFiles {
  return open(path, name, 'blocks')
}

/** The same with float matrices of what is quantised in a GGUF file. */
export function openFloats(path: string): ModelFiles {
  return open(path, undefined, 'floats')
}

function open(path: string, name: string | undefined, matrices: Matrices): ModelFiles {
  if (isGgufPath(path)) return openGguf(openFolder(dirname(path)), basename(path), matrices)
  if (isWeightsPath(path)) return openLoneFile(path)
  const files = openInt4(openFp8(openParts(openFolder(path, name), matrices)))
  return openAdapter(files, (base, revision) => openBase(base, revision, path))
}

/** What an adapter was trained on. */
async function openBase(base: string, revision: string | undefined, adapter: string): Promise<ModelFiles> {
  const origin = { folder: adapter, file: join(adapter, ADAPTER_FILE), field: 'base_model_name_or_path', revision }
  const { path, name } = await findBase(base, origin)
  return isGgufPath(path) ? openFloats(path) : openFp8(openFolder(path, name))
}
