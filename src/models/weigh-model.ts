import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openModel } from './open-model.ts'

/** Bytes of the weight files in a folder and those below, or of the file that is made from them. */
export async function weighModel(path: string): Promise<number> {
  const made = await openModel(path).made?.()
  if (made !== undefined) return made.size
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
