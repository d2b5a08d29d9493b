import type { Backend, Session, Tensor } from '../../backends/backend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import {
  buildZImageCaption,
  buildZImageTransformer,
  zImageBlockMemory,
  chooseLinear,
  refuseUnread,
} from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { ZImageConfig } from '../../models/z-image-config.ts'
import type { Part } from '../read-part.ts'
import { captionPositions, padLength, picturePositions, type Grid } from '../sampling/positions.ts'
import type { Predict } from '../sampling/predict.ts'
import { computeRotaryTable } from '../sampling/rotary-table.ts'
import { computeTimestepFeatures, TIMESTEP_FEATURES } from '../sampling/timestep-features.ts'

/** Makes the two sessions of Z-Image's transformer: for the caption, and for the steps. */
export async function openZImageDenoiser(
  backend: Backend,
  { config, weights, unread }: Part<ZImageConfig>,
): Promise<ZImageDenoiser> {
  const { attention, precision } = backend
  const options = { linear: chooseLinear(weights), attention, precision }
  const caption = buildZImageCaption(config, weights, options)
  const transformer = buildZImageTransformer(config, weights, options)
  refuseUnread(weights, [caption, transformer], unread)
  return new ZImageDenoiser(config, await backend.createSession(caption), await backend.createSession(transformer))
}

/** Z-Image's transformer: the caption is refined once, then every step predicts from it. */
export class ZImageDenoiser {
  readonly #config: ZImageConfig
  readonly #caption: Session
  readonly #transformer: Session

  constructor(config: ZImageConfig, caption: Session, transformer: Session) {
    this.#config = config
    this.#caption = caption
    this.#transformer = transformer
  }

  /** Bytes that a step of a picture of so many tokens takes beside the weights. */
  workingMemory(tokens: number): number {
    return zImageBlockMemory(this.#config) * tokens
  }

  /**
   * Prepares for a caption (features [L, cap_feat_dim]) and a picture of a grid of tokens; the latents to predict for
   * are tokens [N, 4 · in_channels].
   *
   * @throws InvalidRequestError when there are more positions than the model knows
   */
  async begin(features: Tensor, grid: Grid, context: JobContext): Promise<Predict> {
    const length = features.dims[0]!
    const padded = padLength(length)
    this.#checkPositions(grid, padded)
    const captionRotary = this.#rotary(captionPositions(padded))
    await context.turn()
    const { caption } = await this.#caption.run({
      caption_features: features,
      caption_rows: rowsWithPadding(length, padded),
      ...captionRotary,
    })
    const count = grid.height * grid.width
    const constant = {
      token_rows: rowsWithPadding(count, padLength(count)),
      caption: caption!,
      ...this.#rotary(picturePositions(grid, padded)),
      caption_cos: captionRotary.cos,
      caption_sin: captionRotary.sin,
    }
    return async (latents, sigma) => {
      await context.turn()
      const { prediction } = await this.#transformer.run({
        ...constant,
        tokens: { type: 'float32', dims: [count, latents.length / count], data: latents },
        timestep: { type: 'float32', dims: [1, TIMESTEP_FEATURES], data: computeTimestepFeatures(cleanTime(sigma)) },
      })
      // The model predicts towards the noise.
      return (prediction!.data as Float32Array).map((value) => -value)
    }
  }

  async dispose(): Promise<void> {
    await this.#caption.dispose()
    await this.#transformer.dispose()
  }

  #checkPositions({ height, width }: Grid, paddedCaption: number): void {
    const [frames, rows, columns] = this.#config.axes_lens
    if (paddedCaption + 2 > frames) {
      throw new InvalidRequestError('prompt', `the model has ${frames} positions, of which the prompt fills too many`)
    }
    if (height > rows || width > columns) {
      throw new InvalidRequestError('size', `the model knows ${columns}x${rows} places, got ${width}x${height}`)
    }
  }

  #rotary(positions: Int32Array): { cos: Tensor; sin: Tensor } {
    const { axes_dims: widths, rope_theta: theta } = this.#config
    const { cos, sin } = computeRotaryTable(positions, { widths, theta, rounds: 'angles' })
    const tokens = positions.length / widths.length
    const dims = [tokens, cos.length / tokens]
    return { cos: { type: 'float32', dims, data: cos }, sin: { type: 'float32', dims, data: sin } }
  }
}

/** The model counts time from noise (0) to picture (1000). Rounded where the reference rounds. */
function cleanTime(sigma: number): number {
  const { fround } = Math
  return fround(fround(fround(1000 - fround(sigma * 1000)) / 1000) * 1000)
}

/** Rows 0 to count - 1, then row `count`, the learned padding, up to a length of `padded`. */
function rowsWithPadding(count: number, padded: number): Tensor {
  const data = BigInt64Array.from({ length: padded }, (_, i) => BigInt(Math.min(i, count)))
  return { type: 'int64', dims: [padded], data }
}
