import type { JobContext } from '../../jobs/job-context.ts'
import type { PixelImage } from '../picture/pixel-image.ts'
import { concatenateFloats } from '../sampling/concatenate-floats.ts'
import type { Grid } from '../sampling/positions.ts'
import { drawColourClouds } from './colour-clouds.ts'
import { fitColours } from './fit-colours.ts'
import type { DrawPreview, Previewer } from './previewer.ts'

/** Pixels of a preview for each side of a token. */
const PIXELS = 2
const COLOURS = 3
const OUTPUTS = PIXELS * PIXELS * COLOURS
/** Side of the pictures that the map is fitted to: 256 tokens of the published models in each. */
const SIDE = 256

interface PreviewerOptions {
  /** Pixels per token and side. */
  readonly scale: number
  /** The tokens that the autoencoder makes of a picture, in the layout and scale that is denoised. */
  readonly encode: (picture: PixelImage, context: JobContext) => Promise<Float32Array>
}

/**
 * Previews without the autoencoder's decoder: colours are taken to be linear in the latents, which holds well enough to see
 * what a picture will be. The map is fitted to this very autoencoder, from pictures that its encoder is shown once, when
 * the first preview is asked for. Latents are those of the step's prediction without noise, x_t - sigma · v.
 */
export class LatentPreviewer implements Previewer {
  readonly #options: PreviewerOptions
  #map: Float64Array | undefined

  constructor(options: PreviewerOptions) {
    this.#options = options
  }

  /** @throws AbortedError for this call alone */
  async open(context: JobContext): Promise<DrawPreview> {
    // Calls that come before it is there fit it each for themselves: one that waited for another's would hold the turn that the other needs.
    const map = this.#map ?? (await this.#fit(context))
    this.#map ??= map
    return async (tokens, grid) => applyMap(map, tokens, grid)
  }

  async #fit(context: JobContext): Promise<Float64Array> {
    const { encode, scale } = this.#options
    const examples: { tokens: Float32Array; colours: Float32Array }[] = []
    for (const picture of drawColourClouds(SIDE)) {
      examples.push({ tokens: await encode(picture, context), colours: averageBlocks(picture, scale) })
    }
    const tokens = concatenateFloats(examples.map((example) => example.tokens))
    const colours = concatenateFloats(examples.map((example) => example.colours))
    const channels = (tokens.length * OUTPUTS) / colours.length
    return fitColours(tokens, colours, { channels, outputs: OUTPUTS })
  }
}

/** Mean colours of the blocks of each token, [tokens, 2, 2, 3], from 0 to 255. */
function averageBlocks({ width, height, data }: PixelImage, scale: number): Float32Array {
  const side = scale / PIXELS
  const columns = width / scale
  const colours = new Float32Array((columns * height * OUTPUTS) / scale)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const token = Math.floor(y / scale) * columns + Math.floor(x / scale)
      const block = (Math.floor(y / side) % PIXELS) * PIXELS + (Math.floor(x / side) % PIXELS)
      for (let c = 0; c < COLOURS; c++) {
        colours[token * OUTPUTS + block * COLOURS + c]! += data[(y * width + x) * COLOURS + c]! / side ** 2
      }
    }
  }
  return colours
}

function applyMap(map: Float64Array, tokens: Float32Array, grid: Grid): PixelImage {
  const channels = map.length / OUTPUTS - 1
  const [width, height] = [grid.width * PIXELS, grid.height * PIXELS]
  // Colours beyond black and white become those.
  const data = new Uint8ClampedArray(width * height * COLOURS)
  for (let output = 0; output < OUTPUTS; output++) {
    const [row, column] = [Math.floor(output / COLOURS / PIXELS), Math.floor(output / COLOURS) % PIXELS]
    for (let token = 0; token < grid.width * grid.height; token++) {
      let colour = map[channels * OUTPUTS + output]!
      for (let i = 0; i < channels; i++) colour += tokens[token * channels + i]! * map[i * OUTPUTS + output]!
      const y = Math.floor(token / grid.width) * PIXELS + row
      const x = (token % grid.width) * PIXELS + column
      data[(y * width + x) * COLOURS + (output % COLOURS)] = colour
    }
  }
  return { width, height, channels: COLOURS, data: new Uint8Array(data.buffer) }
}
