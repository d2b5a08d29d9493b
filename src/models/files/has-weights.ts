import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WeightFile } from './model-files.ts'

/**
 * Whether a folder has the whole of a file. Programs that tidy up by the age of files leave their folders, and a machine that stops
 * leaves files that are cut off.
 */
export async function hasWeights(folder: string, { name, size }: Pick<WeightFile, 'name' | 'size'>): Promise<boolean> {
  return stat(join(folder, name)).then(
    (stats) => stats.size === size,
    () => false,
  )
}
