import type { Tensor } from '../../backends/backend.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { LatentDecoder } from '../decoding/latent-decoder.ts'
import type { ImagePipeline, PictureRequest, PreparedPictures, SamplingDefaults } from '../image-pipeline.ts'
import { fromPlanes } from '../picture/pixel-image.ts'
import { prepareReference } from '../picture/reference-image.ts'
import type { TextEncoder } from '../prompt/text-encoder.ts'
import { requireSampling, requireSize } from '../request-values.ts'
import { denoise } from '../sampling/denoise.ts'
import { createNoise } from '../sampling/noise.ts'
import { transposeMatrix } from '../sampling/packing.ts'
import { guide, type Predict } from '../sampling/predict.ts'
import { createSampler } from '../sampling/samplers/create-sampler.ts'
import { computeEmpiricalMu, spaceLevels } from '../sampling/schedule.ts'
import type { SchedulerConfig } from '../sampling/scheduler-config.ts'
import type { EncodedReference, Flux2Denoiser } from './flux2-denoiser.ts'
import type { ReferenceEncoder } from './reference-encoder.ts'

/** Side of the reference pipeline's default picture, in tokens. */
const DEFAULT_SIDE = 64

export interface Flux2Parts {
  readonly text: TextEncoder
  readonly denoiser: Flux2Denoiser
  readonly encoder: ReferenceEncoder
  readonly decoder: LatentDecoder
  readonly scheduler: SchedulerConfig
  /** Channels of a token. */
  readonly channels: number
  /** Pixels per token and side. */
  readonly scale: number
  /** A step-distilled model has guidance built in. */
  readonly distilled: boolean
  readonly defaults: SamplingDefaults
}

/** The steps of diffusers' Flux2KleinPipeline, in float32. */
export function createFlux2Pipeline(parts: Flux2Parts): ImagePipeline {
  const { text, denoiser, encoder, decoder, scheduler, channels, scale, defaults } = parts
  const sampler = createSampler(scheduler)

  async function prepare(request: PictureRequest, context: JobContext): Promise<PreparedPictures> {
    const { prompt, steps = defaults.steps, guidance = defaults.guidance } = request
    const pictures = (request.references ?? []).map((picture) => prepareReference(picture, scale))
    const width = request.width ?? pictures[0]?.width ?? DEFAULT_SIDE * scale
    const height = request.height ?? pictures[0]?.height ?? DEFAULT_SIDE * scale
    requireSize(width, height, scale)
    requireSampling(steps, guidance)
    const references: EncodedReference[] = []
    for (const picture of pictures) references.push(await encoder.encode(picture, context))
    const grid = { height: height / scale, width: width / scale }
    const count = grid.height * grid.width
    const predict = await beginPredictions(
      parts,
      prompt,
      guidance,
      (features) => denoiser.begin(features, grid, references, context),
      context,
    )
    const levels = sampler.plan({ levels: spaceLevels(steps), mu: computeEmpiricalMu(count, steps) })
    return {
      steps,
      runs: decoder.countRuns(grid),
      async draw(seed, drawing) {
        const source = createNoise(seed)
        const start = transposeMatrix(source(channels * count), channels, count)
        // Noise of later steps is drawn in the layout of tokens, as the reference draws it.
        const step = sampler.begin(levels, () => source(channels * count))
        const tokens = await denoise(start, { step, steps }, predict, drawing)
        const latents = { channels, ...grid, data: transposeMatrix(tokens, count, channels) }
        const { data } = await decoder.decode(latents, drawing)
        return fromPlanes(data, width, height)
      },
    }
  }

  return {
    sizeStep: scale,
    edits: true,
    prepare,
    async dispose() {
      await Promise.all([text.dispose(), denoiser.dispose(), encoder.dispose(), decoder.dispose()])
    },
  }
}

/** Reads the prompt, and where guidance asks for it the empty one. */
async function beginPredictions(
  { text, distilled }: Flux2Parts,
  prompt: string,
  guidance: number,
  begin: (features: Tensor) => Predict,
  context: JobContext,
): Promise<Predict> {
  const positive = begin(await text.encode(prompt, context))
  if (guidance <= 1 || distilled) return positive
  return guide(positive, begin(await text.encode('', context)), guidance, 'negative')
}
