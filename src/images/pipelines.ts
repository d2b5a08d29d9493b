import type { Backend } from '../backends/backend.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import type { ImagePipeline } from './image-pipeline.ts'
import type { UnreadTensors } from './unread-tensors.ts'

/** What `model_index.json` says beside the class. */
interface PipelineSettings {
  /** FLUX.2 only: made for a few steps without guidance. */
  readonly distilled: boolean
}

/** A row of the registry of pipelines. */
export interface PipelineFamily {
  readonly unread: UnreadTensors
  /** @throws ModelFormatError naming the file that is missing or wrong, or what it asks for and is not supported */
  open(
    backend: Backend,
    files: ModelFiles,
    settings: PipelineSettings & { readonly unread: UnreadTensors },
  ): Promise<ImagePipeline>
}

const Z_IMAGE: UnreadTensors = {
  // Embedders and last layers for patches of other sizes than 2 x 2 in one frame.
  transformer: [/^all_(x_embedder|final_layer)\.(?!2-1\.)/],
  // Only pictures to begin with are encoded; these are read with the first of them.
  vae: [/^(encoder|quant_conv)\./],
  // What diffusers saves with it is the transformer's own, which counts in its place.
  controlnet: [
    /^control_all_x_embedder\.(?!2-1\.)/,
    /^(t_embedder|all_x_embedder|cap_embedder|noise_refiner|context_refiner|(x|cap)_pad_token$)/,
  ],
}

const UNCONTROLLED: PipelineFamily = {
  unread: Z_IMAGE,
  open: async (backend, files, settings) =>
    (await import('./z-image/open-z-image.ts')).openZImagePipeline(backend, files, { ...settings, controlled: false }),
}

const CONTROLLED: PipelineFamily = {
  unread: Z_IMAGE,
  open: async (backend, files, settings) =>
    (await import('./z-image/open-z-image.ts')).openZImagePipeline(backend, files, { ...settings, controlled: true }),
}

const KLEIN: PipelineFamily = {
  // A BatchNorm counts the batches of its training.
  unread: { transformer: [], vae: [/^bn\.num_batches_tracked$/] },
  open: async (backend, files, settings) =>
    (await import('./flux2/open-flux2.ts')).openFlux2Pipeline(backend, files, settings),
}

/** Every pipeline that makes pictures, by the `_class_name` of diffusers; AGENTS.md says how to add one. */
export const PIPELINES: Readonly<Record<string, PipelineFamily>> = {
  ZImagePipeline: UNCONTROLLED,
  // diffusers saves the same parts from the classes that begin with pictures; the request says here which it is.
  ZImageImg2ImgPipeline: UNCONTROLLED,
  ZImageInpaintPipeline: UNCONTROLLED,
  // The same with a ControlNet, which a ZImagePipeline may have as well.
  ZImageControlNetPipeline: CONTROLLED,
  ZImageControlNetInpaintPipeline: CONTROLLED,
  Flux2KleinPipeline: KLEIN,
  Flux2KleinInpaintPipeline: KLEIN,
}
