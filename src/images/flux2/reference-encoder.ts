import type { Backend, Session } from '../../backends/backend.ts'
import { buildAutoencoderKlFlux2Encoder } from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { AutoencoderKlFlux2Config } from '../../models/autoencoder-config.ts'
import { toPlanes, type PixelImage } from '../picture/pixel-image.ts'
import type { Part } from '../read-part.ts'
import type { EncodedReference } from './flux2-denoiser.ts'

/** Makes the session of the encoder of FLUX.2's autoencoder. */
export async function openReferenceEncoder(
  backend: Backend,
  { config, weights }: Part<AutoencoderKlFlux2Config>,
  scale: number,
): Promise<ReferenceEncoder> {
  const { attention } = backend
  const session = await backend.createSession(buildAutoencoderKlFlux2Encoder(config, weights, { attention }))
  return new ReferenceEncoder(session, scale)
}

/** Encodes prepared reference pictures, whose sides are multiples of `scale` pixels, the side of a token. */
export class ReferenceEncoder {
  readonly #session: Session
  readonly #scale: number

  constructor(session: Session, scale: number) {
    this.#session = session
    this.#scale = scale
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
