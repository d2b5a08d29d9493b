import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isGgufPath } from './gguf/gguf-path.ts'
import { GGUF_WEIGHTS } from './gguf/open-gguf.ts'
import { openModel } from './open-model.ts'

/** Bytes of the weight files in a folder and those below, or of what a GGUF file is unpacked to. */
export async function weighModel(path: string): Promise<number> {
  if (isGgufPath(path)) return (await openModel(path).findWeights(GGUF_WEIGHTS))?.size ?? 0
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
