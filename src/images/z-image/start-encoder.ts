import type { Backend, Session } from '../../backends/backend.ts'
import { buildAutoencoderKlEncoder, encoderMemory } from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AutoencoderKlConfig } from '../../models/configs/autoencoder-config.ts'
import { toPlanes, type PixelImage } from '../picture/pixel-image.ts'
import type { Part } from '../read-part.ts'
import type { Grid } from '../sampling/positions.ts'

/** What the encoder says of a picture: each latent value's mean and how far it may lie from it, [channels, h, w]. */
export interface Posterior {
  readonly mean: Float32Array
  readonly deviation: Float32Array
}

/** Of an RGB picture. */
const CHANNELS = 3

/** Encodes pictures to begin with, and those to follow. Its session is made with the first of them, since most requests have none. */
export class StartEncoder {
  readonly #backend: Backend
  readonly #part: Part<AutoencoderKlConfig>
  #session: Promise<Session> | undefined

  constructor(backend: Backend, part: Part<AutoencoderKlConfig>) {
    this.#backend = backend
    this.#part = part
  }

  /** Bytes that encoding a picture of so many pixels takes beside the weights. */
  workingMemory(pixels: number): number {
    return encoderMemory(this.#part.config) * pixels
  }

  /** Makes the session before there is a picture. @throws ModelFormatError where the checkpoint has no encoder */
  async open(): Promise<void> {
    await this.#open()
  }

  /** @throws ModelFormatError where the checkpoint has no encoder */
  encode(picture: PixelImage, context: JobContext): Promise<Posterior> {
    const { width, height } = picture
    return this.encodePlanes({ width, height, data: toPlanes(picture) }, context)
  }

  /** The same of values from -1 to 1, [3, height, width]. */
  async encodePlanes(
    { width, height, data: image }: Grid & { readonly data: Float32Array },
    context: JobContext,
  ): Promise<Posterior> {
    await context.turn()
    const session = await this.#open()
    const { moments } = await session.run({
      image: { type: 'float32', dims: [1, CHANNELS, height, width], data: image },
    })
    const data = moments!.data as Float32Array
    const half = data.length / 2
    const deviation = data.subarray(half).map((logVariance) => Math.exp(0.5 * Math.min(Math.max(logVariance, -30), 20)))
    return { mean: data.subarray(0, half), deviation }
  }

  /** A draw from the posterior, in the scale of the latents that are denoised. */
  sample({ mean, deviation }: Posterior, noise: Float32Array): Float32Array {
    const { scaling_factor: scale, shift_factor: shift } = this.#part.config
    const { fround } = Math
    return mean.map(
      (value, i) => fround(fround(value + fround(deviation[i]! * noise[i]!)) - fround(shift)) * fround(scale),
    )
  }

  /** What is likeliest, in the same scale. */
  middle(posterior: Posterior): Float32Array {
    return this.sample(posterior, new Float32Array(posterior.mean.length))
  }

  async dispose(): Promise<void> {
    await (await this.#session)?.dispose()
  }

  #open(): Promise<Session> {
    this.#session ??= this.#create().catch((error: unknown) => {
      this.#session = undefined
      throw error
    })
    return this.#session
  }

  async #create(): Promise<Session> {
    const { config, weights } = this.#part
    const { attention } = this.#backend
    return this.#backend.createSession(buildAutoencoderKlEncoder(config, weights, { attention }))
  }
}
