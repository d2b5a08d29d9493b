import type { Backend } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { buildTinyDecoder, refuseUnread } from '../../graph/index.ts'
import { autoencoderTinyConfigSchema } from '../../models/configs/autoencoder-tiny-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { hasPart } from '../../models/list-parts.ts'
import { PREVIEW_DECODER } from '../../models/pipeline-parts.ts'
import { withRun } from '../../onnx/built-graph.ts'
import { HELD_AT_ONCE } from '../decoding/latent-decoder.ts'
import { type Planes, toTensor } from '../decoding/planes.ts'
import { fromPlanes, type PixelImage } from '../picture/pixel-image.ts'
import { readPart } from '../read-part.ts'
import type { Grid } from '../sampling/positions.ts'
import type { Previewer } from './previewer.ts'

const EXPECTED = 'an AutoencoderTiny'
/** Previews encode nothing. */
const UNREAD = [/^encoder\./]

/** The latents that a pipeline denoises. */
export interface PreviewedLatents {
  readonly channels: number
  /** Pixels per latent value and side. */
  readonly scale: number
  /** Puts the tokens of a grid into planes. */
  readonly toPlanes: (tokens: Float32Array, grid: Grid) => Planes
}

/**
 * Previews by the small decoder in the folder `preview_decoder` of a pipeline. Its session is open only while it runs, since
 * sessions keep the memory of their runs, which the steps and the picture itself need.
 *
 * @returns undefined where the pipeline has none
 * @throws ModelFormatError where it is of another class, or made for other latents
 */
export async function openPreviewDecoder(
  backend: Pick<Backend, 'createSession'>,
  files: ModelFiles,
  { channels, scale, toPlanes }: PreviewedLatents,
): Promise<Previewer | undefined> {
  const folder = files.within(PREVIEW_DECODER)
  if (!(await hasPart(folder))) return undefined
  const { config, weights, file } = await readPart(folder, autoencoderTinyConfigSchema, EXPECTED)
  if (config.latent_channels !== channels) {
    throw new ModelFormatError(file, `latent_channels: ${channels}`, String(config.latent_channels))
  }
  const levels = Math.log2(scale) + 1
  if (config.num_decoder_blocks.length !== levels) {
    throw new ModelFormatError(file, `num_decoder_blocks of ${levels} levels`, `${config.num_decoder_blocks.length}`)
  }
  const held = HELD_AT_ONCE * config.decoder_block_out_channels[0]! * Float32Array.BYTES_PER_ELEMENT
  const built = buildTinyDecoder(config, weights)
  refuseUnread(weights, [built], UNREAD)
  const graph = withRun(built, { input: 'latents', bytes: (held * scale ** 2) / channels })
  const { floats = 0, rest = 0 } = graph.memory ?? {}

  async function draw(planes: Planes): Promise<PixelImage> {
    const session = await backend.createSession(graph)
    try {
      const { image } = await session.run({ latents: toTensor(planes) })
      return fromPlanes(image!.data as Float32Array, planes.width * scale, planes.height * scale)
    } finally {
      await session.dispose()
    }
  }

  return {
    workingMemory: (pixels) => floats + rest + held * pixels,
    open: async () => async (tokens, grid, context) => {
      await context.turn()
      return draw(toPlanes(tokens, grid))
    },
  }
}
