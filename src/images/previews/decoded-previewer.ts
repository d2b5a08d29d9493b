import type { LatentDecoder } from '../decoding/latent-decoder.ts'
import { fromPlanes } from '../picture/pixel-image.ts'
import { transposeMatrix } from '../sampling/packing.ts'
import type { Previewer } from './previewer.ts'

/**
 * Previews in full size by the pipeline's own decoder, for a small model whose latents no linear map makes colours of. Each costs
 * as much as the end of the picture does, and counts as no run of it.
 */
export function createDecodedPreviewer(decoder: Pick<LatentDecoder, 'decode'>, channels: number): Previewer {
  return {
    open: async () => async (tokens, grid, context) => {
      const latents = { channels, ...grid, data: transposeMatrix(tokens, grid.width * grid.height, channels) }
      const { data, width, height } = await decoder.decode(latents, { turn: () => context.turn() })
      return fromPlanes(data, width, height)
    },
  }
}
