import type { Backend } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { describeAutoencoderKlDecoder, refuseUnread } from '../../graph/index.ts'
import { type AutoencoderKlConfig, autoencoderKlConfigSchema } from '../../models/configs/autoencoder-config.ts'
import { zImageConfigSchema } from '../../models/configs/z-image-config.ts'
import type { ZImageControlConfig } from '../../models/configs/z-image-control-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { type LatentDecoder, openLatentDecoder } from '../decoding/latent-decoder.ts'
import { readImageManifest } from '../image-manifest.ts'
import type { ImagePipeline } from '../image-pipeline.ts'
import { openPreviewDecoder } from '../previews/preview-decoder.ts'
import type { Previewer } from '../previews/previewer.ts'
import { openTextEncoder } from '../prompt/text-encoder.ts'
import { type Part, readPart } from '../read-part.ts'
import { unpatchify } from '../sampling/packing.ts'
import type { Grid } from '../sampling/positions.ts'
import { readScheduler, shiftOf } from '../sampling/scheduler-config.ts'
import type { UnreadTensors } from '../unread-tensors.ts'
import { readControlNet } from './read-control-net.ts'
import { StartEncoder } from './start-encoder.ts'
import { openZImageDenoiser } from './z-image-denoiser.ts'
import { createZImagePipeline, PATCH } from './z-image-pipeline.ts'

const MAX_TOKENS = 512

/** Nothing in the files tells the distilled Turbo model from the base model but the shift it is published with. */
const TURBO_SHIFT = 3
const TURBO = { steps: 8, guidance: 0 }
const BASE = { steps: 50, guidance: 5 }

/** Opens a Z-Image checkpoint, Turbo or base, in the layout of diffusers' ZImagePipeline. */
export async function openZImagePipeline(
  backend: Backend,
  files: ModelFiles,
  settings: { readonly unread: UnreadTensors; readonly controlled: boolean },
): Promise<ImagePipeline> {
  const { unread } = settings
  const manifest = await readImageManifest(files)
  const scheduler = await readScheduler(files)
  const transformer = await readPart(
    files.within('transformer'),
    zImageConfigSchema,
    'a Z-Image transformer',
    unread.transformer,
  )
  const vae = await readPart(files.within('vae'), autoencoderKlConfigSchema, 'an AutoencoderKL', unread.vae)
  const { in_channels: channels } = transformer.config
  if (vae.config.latent_channels !== channels) {
    throw new ModelFormatError(vae.file, `${channels} latent channels`, String(vae.config.latent_channels))
  }
  const scale = 2 ** (vae.config.block_out_channels.length - 1)
  const previewer = await openPreviewer(backend, files, { channels, scale })
  const control = await readControlNet(files, transformer, settings)
  const text = await openTextEncoder(backend, files, {
    emptyThinkBlock: false,
    maxTokens: manifest.max_sequence_length ?? MAX_TOKENS,
    pad: false,
    hiddenStates: (layers) => [layers - 1],
    width: transformer.config.cap_feat_dim,
  })
  const denoiser = await openZImageDenoiser(backend, transformer, control)
  const decoder = await openDecoder(backend, vae, { channels, scale })
  const published = shiftOf(scheduler) === TURBO_SHIFT ? TURBO : BASE
  return createZImagePipeline({
    text,
    denoiser,
    encoder: await openEncoder(backend, vae, control),
    decoder,
    previewer,
    scheduler,
    channels,
    controlChannels: control?.config.control_in_dim,
    scale,
    defaults: {
      steps: manifest.num_inference_steps ?? published.steps,
      guidance: manifest.guidance_scale ?? published.guidance,
    },
  })
}

/** A pipeline with a ControlNet is there to follow pictures, so what encodes them is opened with the others. */
async function openEncoder(
  backend: Backend,
  vae: Part<AutoencoderKlConfig>,
  control: Part<ZImageControlConfig> | undefined,
): Promise<StartEncoder> {
  const encoder = new StartEncoder(backend, vae)
  if (control) await encoder.open()
  return encoder
}

function openDecoder(
  backend: Backend,
  vae: Part<AutoencoderKlConfig>,
  sizes: { readonly channels: number; readonly scale: number },
): Promise<LatentDecoder> {
  const { attention } = backend
  const graphs = describeAutoencoderKlDecoder(vae.config, vae.weights, { attention })
  refuseUnread(vae.weights, [graphs.whole()], vae.unread)
  return openLatentDecoder(backend, graphs, sizes)
}

function openPreviewer(
  backend: Backend,
  files: ModelFiles,
  { channels, scale }: { readonly channels: number; readonly scale: number },
): Promise<Previewer | undefined> {
  const toPlanes = (tokens: Float32Array, grid: Grid) => {
    const [height, width] = [grid.height * PATCH, grid.width * PATCH]
    return { channels, height, width, data: unpatchify(tokens, channels, height, width) }
  }
  return openPreviewDecoder(backend, files, { channels, scale, toPlanes })
}
