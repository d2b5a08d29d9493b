import type { Backend, Session } from '../../backends/backend.ts'
import type { DecoderGraphs, DividedDecoder } from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { withRun } from '../../onnx/built-graph.ts'
import type { Grid } from '../sampling/positions.ts'
import { BandedDecoder } from './banded-decoder.ts'
import { type Planes, toTensor } from './planes.ts'

/**
 * Bytes that decoding a picture may take. With the channels of the published models 1024 × 1024 pixels fit when they are
 * decoded whole, and 2048 × 2048 in bands, which take half as many products more; see docs/images.md.
 */
const MEMORY_BUDGET = 4.25 * 2 ** 30

/** onnxruntime holds this many values of the size of the largest one while it decodes a picture whole. */
export const HELD_AT_ONCE = 4

export interface LatentDecoderOptions {
  /** Of the latents. */
  readonly channels: number
  /** Pixels per latent position. */
  readonly scale: number
  /** Bytes that decoding a picture whole may take. @defaultValue 4.25 GiB */
  readonly memoryBudget?: number
  /** Size of the largest value in a run for a band, in bytes. @defaultValue see `planBands` */
  readonly bandBytes?: number
}

/** Makes the session that decodes whole pictures; those of bands are made when a picture needs them. */
export async function openLatentDecoder(
  backend: Pick<Backend, 'createSession'>,
  { whole, divided }: DecoderGraphs,
  { channels, scale, memoryBudget = MEMORY_BUDGET, bandBytes }: LatentDecoderOptions,
): Promise<LatentDecoder> {
  const largest = measureLargest(divided)
  const run = { input: 'latents', bytes: (HELD_AT_ONCE * largest * scale ** 2) / channels }
  // Bands take as much as a whole picture may, whichever of their graphs runs; the first one makes room for all.
  const stages = { ...divided, begin: () => withRun(divided.begin(), run) }
  const banded = new BandedDecoder(stages, (model) => backend.createSession(model), bandBytes)
  const limit = memoryBudget / (HELD_AT_ONCE * largest)
  return new LatentDecoder(await backend.createSession(withRun(whole(), run)), banded, scale, limit, largest)
}

/** Turns latents into a picture: whole, or in bands where that would take too much memory. */
export class LatentDecoder {
  readonly #session: Session
  readonly #banded: BandedDecoder
  readonly #scale: number
  /** Pixels of the largest picture that is decoded whole. */
  readonly #limit: number
  readonly #largest: number

  /** @param largest bytes a pixel of the largest value that is computed */
  constructor(session: Session, banded: BandedDecoder, scale: number, limit: number, largest: number) {
    this.#session = session
    this.#banded = banded
    this.#scale = scale
    this.#limit = limit
    this.#largest = largest
  }

  /** Runs of a graph that a picture of such latents takes, as progress counts them. */
  countRuns(latents: Grid): number {
    const size = this.#toPixels(latents)
    return this.#isWhole(size) ? 1 : this.#banded.countRuns(size)
  }

  /** Bytes that decoding a picture of so many pixels takes beside the weights. */
  workingMemory(pixels: number): number {
    return HELD_AT_ONCE * this.#largest * Math.min(pixels, this.#limit)
  }

  /** @returns colours from about -1 to 1, three channels */
  async decode(latents: Planes, context: JobContext): Promise<Planes> {
    const total = this.countRuns(latents)
    let done = 0
    const turn = () => {
      context.onProgress?.({ stage: 'decoding', done: done++, total })
      return context.turn()
    }
    const picture = this.#isWhole(this.#toPixels(latents))
      ? await this.#decodeWhole(latents, turn)
      : await this.#banded.decode(latents, turn)
    context.onProgress?.({ stage: 'decoding', done: total, total })
    return picture
  }

  dispose(): Promise<void> {
    return this.#session.dispose()
  }

  #toPixels({ height, width }: Grid): Grid {
    return { height: height * this.#scale, width: width * this.#scale }
  }

  #isWhole({ height, width }: Grid): boolean {
    return height * width <= this.#limit
  }

  async #decodeWhole(latents: Planes, turn: () => Promise<void>): Promise<Planes> {
    await turn()
    const { image } = await this.#session.run({ latents: toTensor(latents) })
    return { channels: 3, ...this.#toPixels(latents), data: image!.data as Float32Array }
  }
}

/** Bytes for each pixel of the picture of the largest value that a decoder computes. */
function measureLargest({ stages }: DividedDecoder): number {
  let share = stages.reduce((product, { scale }) => product / scale ** 2, 1)
  const values = stages.map(({ inputs, outputs, scale }) => {
    share *= scale ** 2
    return share * Math.max(inputs, outputs)
  })
  return Math.max(...values) * Float32Array.BYTES_PER_ELEMENT
}
