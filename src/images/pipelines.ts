import type { Backend } from '../backends/backend.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import type { ImagePipeline } from './image-pipeline.ts'
import type { UnreadTensors } from './unread-tensors.ts'

/** What `model_index.json` says beside the class. */
interface PipelineSettings {
  /** FLUX.2 only: made for a few steps without guidance. */
  readonly distilled: boolean
}

/** @throws ModelFormatError naming the file that is missing or wrong, or what it asks for and is not supported */
type OpenPipeline = (backend: Backend, files: ModelFiles, settings: PipelineSettings) => Promise<ImagePipeline>

const UNREAD_OF_Z_IMAGE: UnreadTensors = {
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

function openZImage(controlled: boolean): OpenPipeline {
  return async (backend, files) => {
    const { openZImagePipeline } = await import('./z-image/open-z-image.ts')
    return openZImagePipeline(backend, files, { unread: UNREAD_OF_Z_IMAGE, controlled })
  }
}

const openKlein: OpenPipeline = async (backend, files, { distilled }) => {
  const { openFlux2Pipeline } = await import('./flux2/open-flux2.ts')
  // A BatchNorm counts the batches of its training.
  return openFlux2Pipeline(backend, files, {
    unread: { transformer: [], vae: [/^bn\.num_batches_tracked$/] },
    distilled,
  })
}

/** Every pipeline that makes pictures, by the `_class_name` of diffusers; AGENTS.md says how to add one. */
export const PIPELINES: Readonly<Record<string, OpenPipeline>> = {
  ZImagePipeline: openZImage(false),
  // diffusers saves the same parts from the classes that begin with pictures; the request says here which it is.
  ZImageImg2ImgPipeline: openZImage(false),
  ZImageInpaintPipeline: openZImage(false),
  // The same with a ControlNet, which a ZImagePipeline may have as well.
  ZImageControlNetPipeline: openZImage(true),
  ZImageControlNetInpaintPipeline: openZImage(true),
  Flux2KleinPipeline: openKlein,
  Flux2KleinInpaintPipeline: openKlein,
}
