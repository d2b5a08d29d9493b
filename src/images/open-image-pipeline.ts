import { z } from 'zod'
import type { Backend } from '../backends/backend.ts'
import type { ModelFiles } from '../models/model-files.ts'
import { readConfig } from '../models/read-config.ts'
import type { ImagePipeline } from './image-pipeline.ts'
import { openFlux2Pipeline } from './flux2/open-flux2.ts'
import { openZImagePipeline } from './z-image/open-z-image.ts'

const schema = z.object({
  _class_name: z.enum(['ZImagePipeline', 'Flux2KleinPipeline']),
  /** FLUX.2 only: made for a few steps without guidance. */
  is_distilled: z.boolean().default(false),
})

/**
 * Opens an image bundle, as diffusers saves a pipeline: `model_index.json` and a folder for each part,
 * and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openImagePipeline({
  backend,
  files,
}: {
  readonly backend: Backend
  readonly files: ModelFiles
}): Promise<ImagePipeline> {
  const expected = 'the index of a ZImagePipeline or Flux2KleinPipeline'
  const index = await readConfig(files, 'model_index.json', schema, expected)
  const { _class_name: kind, is_distilled: distilled } = index
  return kind === 'ZImagePipeline'
    ? openZImagePipeline(backend, files)
    : openFlux2Pipeline(backend, files, { distilled })
}
