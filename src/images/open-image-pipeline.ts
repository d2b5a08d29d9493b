import { join } from 'node:path'
import { z } from 'zod'
import type { Backend } from '../backends/backend.ts'
import { readConfig } from '../models/read-config.ts'
import type { ImagePipeline } from './image-pipeline.ts'
import { openFlux2Pipeline } from './open-flux2.ts'
import { openZImagePipeline } from './open-z-image.ts'

const schema = z.object({
  _class_name: z.enum(['ZImagePipeline', 'Flux2KleinPipeline']),
  /** FLUX.2 only: made for a few steps without guidance. */
  is_distilled: z.boolean().default(false),
})

/**
 * Opens an image bundle: a folder as diffusers saves a pipeline, with `model_index.json` and a folder for each part,
 * and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openImagePipeline(
  { backend, folder }: { readonly backend: Backend; readonly folder: string },
): Promise<ImagePipeline> {
  const expected = 'the index of a ZImagePipeline or Flux2KleinPipeline'
  const index = await readConfig(join(folder, 'model_index.json'), schema, expected)
  const { _class_name: kind, is_distilled: distilled } = index
  return kind === 'ZImagePipeline'
    ? openZImagePipeline(backend, folder)
    : openFlux2Pipeline(backend, folder, { distilled })
}
