import type { Session } from '../../backends/backend.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { toPlanes, type PixelImage } from '../picture/pixel-image.ts'
import type { EncodedReference } from './flux2-denoiser.ts'

/** Encodes prepared reference pictures, whose sides are multiples of `scale` pixels, the side of a token. */
export class ReferenceEncoder {
  readonly #session: Session
  readonly #scale: number
  readonly #memory: number

  /** @param memory bytes that encoding takes for each pixel beside the weights */
  constructor(session: Session, scale: number, memory: number) {
    this.#session = session
    this.#scale = scale
    this.#memory = memory
  }

  /** Bytes that encoding a picture of so many pixels takes beside the weights. */
  workingMemory(pixels: number): number {
    return this.#memory * pixels
  }

  async encode(picture: PixelImage, context: JobContext): Promise<EncodedReference> {
    const { width, height } = picture
    await context.turn()
    const { tokens } = await this.#session.run({
      image: { type: 'float32', dims: [1, 3, height, width], data: toPlanes(picture) },
    })
    const grid = { height: height / this.#scale, width: width / this.#scale }
    return { grid, tokens: tokens!.data as Float32Array }
  }

  dispose(): Promise<void> {
    return this.#session.dispose()
  }
}
