import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { openFolder } from '../files/model-folder.ts'
import { indexFiles, indexWeights } from './index-weights.ts'
import type { WeightIndex } from './weight-index.ts'

/**
 * The tensors of a checkpoint on this machine.
 *
 * @param path a `.safetensors` file, or a folder that `indexWeights` reads
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function readSafetensors(path: string): Promise<WeightIndex> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isFile() ? indexFiles(openFolder(dirname(path)), [basename(path)]) : indexWeights(openFolder(path))
}
