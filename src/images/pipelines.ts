import type { Backend } from '../backends/backend.ts'
import type { ModelFiles } from '../models/model-files.ts'
import type { ImagePipeline } from './image-pipeline.ts'

/** What `model_index.json` says beside the class. */
export interface PipelineSettings {
  /** FLUX.2 only: made for a few steps without guidance. */
  readonly distilled: boolean
}

/** A row of the registry of pipelines. */
export interface PipelineFamily {
  /** @throws ModelFormatError naming the file that is missing or wrong, or what it asks for and is not supported */
  open(backend: Backend, files: ModelFiles, settings: PipelineSettings): Promise<ImagePipeline>
}

/** Every pipeline that makes pictures, by the `_class_name` of diffusers; AGENTS.md says how to add one. */
export const PIPELINES: Readonly<Record<string, PipelineFamily>> = {
  ZImagePipeline: {
    open: async (backend, files) => (await import('./z-image/open-z-image.ts')).openZImagePipeline(backend, files),
  },
  Flux2KleinPipeline: {
    open: async (backend, files, settings) =>
      (await import('./flux2/open-flux2.ts')).openFlux2Pipeline(backend, files, settings),
  },
}
