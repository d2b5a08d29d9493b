import type { Session } from '../backends/backend.ts'
import type { ImageContext } from './image-pipeline.ts'
import type { Grid } from './positions.ts'
import { blendFromAbove, blendFromLeft, cut, paste, type Planes } from './planes.ts'

/** Share of a tile that the next one does not cover. */
const STRIDE = 0.75

export interface LatentDecoderOptions {
  /** Pixels per latent position. */
  readonly scale: number
  /** Side of the largest picture that is decoded at once, in pixels. */
  readonly sampleSize: number
}

/**
 * Turns latents into a picture. One that is larger than the autoencoder was made for is decoded in overlapping tiles
 * that fade into each other, as the reference's tiled decoding does, so that memory stays bounded.
 */
export class LatentDecoder {
  readonly #session: Session
  readonly #scale: number
  readonly #tile: number

  constructor(session: Session, { scale, sampleSize }: LatentDecoderOptions) {
    this.#session = session
    this.#scale = scale
    this.#tile = Math.floor(sampleSize / scale)
  }

  /** How many tiles a picture of such latents is decoded in. */
  countTiles({ height, width }: Grid): number {
    const stride = this.#stride({ height, width })
    return Math.ceil(height / stride) * Math.ceil(width / stride)
  }

  /** @returns colours from about -1 to 1, three channels */
  async decode(latents: Planes, context: ImageContext): Promise<Planes> {
    const { height, width } = latents
    const tiled = this.#isTiled(latents)
    const stride = this.#stride(latents)
    const total = this.countTiles(latents)
    const area = { height: tiled ? this.#tile : height, width: tiled ? this.#tile : width }
    const limit = stride * this.#scale
    const extent = this.#tile * this.#scale - limit
    const picture = this.#emptyPicture(latents)
    let above: Planes[] = []
    let done = 0
    for (let top = 0; top < height; top += stride) {
      const row: Planes[] = []
      for (let left = 0; left < width; left += stride) {
        context.onProgress?.({ stage: 'decoding', done: done++, total })
        await context.turn()
        const tile = await this.#run(cut(latents, { top, left, ...area }))
        const upper = above[row.length]
        if (upper !== undefined) blendFromAbove(upper, tile, extent)
        const before = row.at(-1)
        if (before !== undefined) blendFromLeft(before, tile, extent)
        paste(picture, tile, top * this.#scale, left * this.#scale, limit)
        row.push(tile)
      }
      above = row
    }
    context.onProgress?.({ stage: 'decoding', done: total, total })
    return picture
  }

  dispose(): Promise<void> {
    return this.#session.dispose()
  }

  #isTiled({ height, width }: Grid): boolean {
    return Math.max(height, width) > this.#tile
  }

  /** From the start of a tile to that of the next. */
  #stride(latents: Grid): number {
    return this.#isTiled(latents) ? Math.floor(this.#tile * STRIDE) : Math.max(latents.height, latents.width)
  }

  #emptyPicture(latents: Planes): Planes {
    const height = latents.height * this.#scale
    const width = latents.width * this.#scale
    return { channels: 3, height, width, data: new Float32Array(3 * height * width) }
  }

  async #run({ channels, height, width, data }: Planes): Promise<Planes> {
    const dims = [1, channels, height, width]
    const { image } = await this.#session.run({ latents: { type: 'float32', dims, data } })
    return {
      channels: 3, height: height * this.#scale, width: width * this.#scale, data: image!.data as Float32Array,
    }
  }
}
