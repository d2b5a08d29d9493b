import * as z from 'zod'
import { readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { CONTROLNET, PIPELINE_PARTS } from '../models/pipeline-parts.ts'
import { measureDownload } from './download.ts'

const STEMS = ['model.safetensors', 'diffusion_pytorch_model.safetensors']

const shardIndex = z.object({ metadata: z.object({ total_size: z.number() }) })

/** Bytes of a model's weight files, as their server or the index of the shards tells them. */
export async function weighUrl(files: ModelFiles, kind: 'decisions' | 'images', signal?: AbortSignal): Promise<number> {
  const folders =
    kind === 'images' ? [...PIPELINE_PARTS, CONTROLNET].map(({ folder }) => files.within(folder)) : [files]
  const sizes = await Promise.all(folders.map((folder) => weighFolder(folder, signal)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function weighFolder(files: ModelFiles, signal?: AbortSignal): Promise<number> {
  for (const name of STEMS) {
    const size = await measureDownload(`${files.location}/${name}`, signal)
    if (size !== undefined) return size
    const expected = 'the index of shards, with their total_size'
    const index = await readOptionalConfig(files, `${name}.index.json`, shardIndex, expected)
    if (index !== undefined) return index.metadata.total_size
  }
  return 0
}
