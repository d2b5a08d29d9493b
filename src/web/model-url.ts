import type { ModelFiles, WeightFile } from '../models/model-files.ts'
import { download } from './download.ts'
import type { WeightStore } from './weight-store.ts'

/**
 * The files of a model below a URL.
 *
 * @param onBytes told the length of every part of a weight file that arrives
 */
export function openUrl(url: string, weights: WeightStore, onBytes: (length: number) => void): ModelFiles {
  return {
    location: url,
    name: url.split('/').at(-1)!,
    async readText(name) {
      const bytes = await download(`${url}/${name}`)
      return bytes && new TextDecoder().decode(bytes)
    },
    async findWeights(name): Promise<WeightFile | undefined> {
      const bytes = await weights.load(`${url}/${name}`, onBytes)
      return bytes && {
        folder: url, name, size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length),
      }
    },
    within: (folder) => openUrl(`${url}/${folder}`, weights, onBytes),
  }
}
