import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes of the weight files in a folder and those below. */
export async function weighModel(folder: string): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
