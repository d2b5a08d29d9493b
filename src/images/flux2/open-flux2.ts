import type { Backend } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import {
  buildAutoencoderKlFlux2Encoder,
  describeAutoencoderKlFlux2Decoder,
  encoderMemory,
  refuseUnread,
} from '../../graph/index.ts'
import { autoencoderKlFlux2ConfigSchema } from '../../models/configs/autoencoder-config.ts'
import { flux2ConfigSchema } from '../../models/configs/flux2-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { CONTROLNET, PREVIEW_DECODER } from '../../models/pipeline-parts.ts'
import { openLatentDecoder } from '../decoding/latent-decoder.ts'
import { type ImageManifest, readImageManifest } from '../image-manifest.ts'
import type { ImagePipeline, SamplingDefaults } from '../image-pipeline.ts'
import { openTextEncoder } from '../prompt/text-encoder.ts'
import { readPart } from '../read-part.ts'
import { refusePart } from '../refuse-part.ts'
import { readScheduler } from '../sampling/scheduler-config.ts'
import type { UnreadTensors } from '../unread-tensors.ts'
import { openFlux2Denoiser } from './flux2-denoiser.ts'
import { createFlux2Pipeline } from './flux2-pipeline.ts'
import { ReferenceEncoder } from './reference-encoder.ts'

const MAX_TOKENS = 512
/** Hidden states that the published klein models read. */
const TEXT_LAYERS = [9, 18, 27]

const DISTILLED = { steps: 4, guidance: 1 }
const BASE = { steps: 50, guidance: 4 }

/** Opens a FLUX.2 klein checkpoint in the layout of diffusers' Flux2KleinPipeline. */
export async function openFlux2Pipeline(
  backend: Backend,
  files: ModelFiles,
  { distilled, unread }: { readonly distilled: boolean; readonly unread: UnreadTensors },
): Promise<ImagePipeline> {
  const manifest = await readImageManifest(files)
  const scheduler = await readScheduler(files)
  const transformer = await readPart(
    files.within('transformer'),
    flux2ConfigSchema,
    'a FLUX.2 transformer',
    unread.transformer,
  )
  const vae = await readPart(files.within('vae'), autoencoderKlFlux2ConfigSchema, 'an AutoencoderKLFlux2', unread.vae)
  const { in_channels: channels } = transformer.config
  if (4 * vae.config.latent_channels !== channels) {
    throw new ModelFormatError(vae.file, `${channels / 4} latent channels`, String(vae.config.latent_channels))
  }
  await refuseOthers(files)
  const text = await openTextEncoder(backend, files, {
    emptyThinkBlock: true,
    maxTokens: manifest.max_sequence_length ?? MAX_TOKENS,
    pad: true,
    hiddenStates: () => manifest.text_encoder_out_layers ?? TEXT_LAYERS,
    width: transformer.config.joint_attention_dim,
  })
  const scale = 2 ** vae.config.block_out_channels.length
  const { attention } = backend
  const encoding = buildAutoencoderKlFlux2Encoder(vae.config, vae.weights, { attention })
  const graphs = describeAutoencoderKlFlux2Decoder(vae.config, vae.weights, { attention })
  refuseUnread(vae.weights, [encoding, graphs.whole()], vae.unread)
  const encoder = new ReferenceEncoder(await backend.createSession(encoding), scale, encoderMemory(vae.config))
  const denoiser = await openFlux2Denoiser(backend, transformer)
  const decoder = await openLatentDecoder(backend, graphs, { channels, scale })
  return createFlux2Pipeline({
    text,
    encoder,
    denoiser,
    decoder,
    scheduler,
    channels,
    scale,
    distilled,
    defaults: readDefaults(manifest, distilled),
    decodesPreviews: manifest.previews === 'decoder',
    keepsSource: manifest.keeps_source ?? false,
  })
}

function readDefaults({ num_inference_steps, guidance_scale }: ImageManifest, distilled: boolean): SamplingDefaults {
  const published = distilled ? DISTILLED : BASE
  return { steps: num_inference_steps ?? published.steps, guidance: guidance_scale ?? published.guidance }
}

/** @throws ModelFormatError for what pipelines of Z-Image may have beside their parts */
async function refuseOthers(files: ModelFiles): Promise<void> {
  const here = 'in a Flux2KleinPipeline'
  const previews = `no decoder for previews ${here}, whose latents no AutoencoderTiny is made for`
  await refusePart(files, PREVIEW_DECODER, previews)
  await refusePart(files, CONTROLNET.folder, `no ControlNet ${here}; they are read for Z-Image`)
}
