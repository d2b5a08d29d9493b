import type { ModelFiles, WeightFile } from '../models/model-files.ts'
import { download, type DownloadOptions } from './download.ts'
import type { WeightStore } from './weight-store.ts'

/**
 * The files of a model below a URL.
 *
 * @param options for all files; bytes are told of weight files
 */
export function openUrl(url: string, weights: WeightStore, options: DownloadOptions = {}): ModelFiles {
  return {
    location: url,
    name: url.split('/').at(-1)!,
    async readText(name) {
      const bytes = await download(`${url}/${name}`, options.signal && { signal: options.signal })
      return bytes && new TextDecoder().decode(bytes)
    },
    async findWeights(name): Promise<WeightFile | undefined> {
      const bytes = await weights.load(`${url}/${name}`, options)
      return (
        bytes && {
          folder: url,
          name,
          size: bytes.length,
          read: async (start, length) => bytes.subarray(start, start + length),
        }
      )
    },
    within: (folder) => openUrl(`${url}/${folder}`, weights, options),
  }
}
