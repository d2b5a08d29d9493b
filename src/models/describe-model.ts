import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelFiles } from './model-files.ts'

/** Whether these are the files of an image pipeline, as diffusers saves one. All other models make decisions. */
export async function isImageBundle(files: ModelFiles): Promise<boolean> {
  return (await files.readText('model_index.json')) !== undefined
}

/** Bytes of the weight files in a folder and those below. */
export async function weighModel(folder: string): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
