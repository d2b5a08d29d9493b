import * as z from 'zod'
import type { Backend } from '../backends/backend.ts'
import { ModelFormatError } from '../errors/index.ts'
import { readConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import type { ImagePipeline } from './image-pipeline.ts'
import { PIPELINES } from './pipelines.ts'

const schema = z.object({ _class_name: z.string(), is_distilled: z.boolean().default(false) })

/**
 * Opens an image bundle, as diffusers saves a pipeline: `model_index.json` and a folder for each part,
 * and optionally `tessera.json`.
 *
 * @throws ModelFormatError naming a pipeline that is not known, or the file that is missing or wrong
 */
export async function openImagePipeline({
  backend,
  files,
}: {
  readonly backend: Backend
  readonly files: ModelFiles
}): Promise<ImagePipeline> {
  const expected = `the index of a ${Object.keys(PIPELINES).join(' or ')}`
  const index = await readConfig(files, 'model_index.json', schema, expected)
  const { _class_name: name, is_distilled: distilled } = index
  const open = Object.hasOwn(PIPELINES, name) ? PIPELINES[name] : undefined
  if (open !== undefined) return open(backend, files, { distilled })
  throw new ModelFormatError(`${files.location}/model_index.json`, expected, name.slice(0, 200))
}
