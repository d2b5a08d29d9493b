import { InvalidRequestError } from '../../errors/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { LatentDecoder } from '../decoding/latent-decoder.ts'
import type { ImagePipeline, PictureRequest, PreparedPictures, SamplingDefaults } from '../image-pipeline.ts'
import { fromPlanes } from '../picture/pixel-image.ts'
import type { TextEncoder } from '../prompt/text-encoder.ts'
import { requireSampling, requireSize } from '../request-values.ts'
import { denoise } from '../sampling/denoise.ts'
import { createNoise } from '../sampling/noise.ts'
import { patchify, unpatchify } from '../sampling/packing.ts'
import type { Grid } from '../sampling/positions.ts'
import { guide, type Predict } from '../sampling/predict.ts'
import { createSampler } from '../sampling/samplers/create-sampler.ts'
import { computeLinearMu, spaceLevelsTorch } from '../sampling/schedule.ts'
import type { SchedulerConfig } from '../sampling/scheduler-config.ts'
import type { ZImageDenoiser } from './z-image-denoiser.ts'

const DEFAULT_SIDE = 1024
const PATCH = 2

export interface ZImageParts {
  readonly text: TextEncoder
  readonly denoiser: ZImageDenoiser
  readonly decoder: LatentDecoder
  readonly scheduler: SchedulerConfig
  /** Channels of the latents. */
  readonly channels: number
  /** Pixels per latent value. */
  readonly scale: number
  readonly defaults: SamplingDefaults
}

/** The steps of diffusers' ZImagePipeline, in float32. */
export function createZImagePipeline(parts: ZImageParts): ImagePipeline {
  const { text, denoiser, decoder, scheduler, channels, scale, defaults } = parts
  const sizeStep = scale * PATCH
  const sampler = createSampler(scheduler)

  async function predictor(prompt: string, guidance: number, grid: Grid, context: JobContext): Promise<Predict> {
    const begin = async (words: string) => denoiser.begin(await text.encode(words, context), grid, context)
    const positive = await begin(prompt)
    return guidance > 0 ? guide(positive, await begin(''), guidance, 'positive') : positive
  }

  async function prepare(request: PictureRequest, context: JobContext): Promise<PreparedPictures> {
    const { prompt, width = DEFAULT_SIDE, height = DEFAULT_SIDE, references = [] } = request
    const { steps = defaults.steps, guidance = defaults.guidance } = request
    requireSize(width, height, sizeStep)
    requireSampling(steps, guidance)
    if (references.length > 0) throw new InvalidRequestError('image', 'this model makes pictures from text only')
    const size = { height: height / scale, width: width / scale }
    const grid = { height: size.height / PATCH, width: size.width / PATCH }
    const predict = await predictor(prompt, guidance, grid, context)
    const mu = computeLinearMu(grid.height * grid.width, scheduler)
    const levels = sampler.plan({ levels: spaceLevelsTorch(steps), mu })
    return {
      steps,
      runs: decoder.countRuns(size),
      async draw(seed, drawing) {
        const source = createNoise(seed)
        const noise = () => patchify(source(channels * size.height * size.width), channels, size.height, size.width)
        const start = noise()
        const tokens = await denoise(start, { step: sampler.begin(levels, noise), steps }, predict, drawing)
        const latents = unpatchify(tokens, channels, size.height, size.width)
        const { data } = await decoder.decode({ channels, ...size, data: latents }, drawing)
        return fromPlanes(data, width, height)
      },
    }
  }

  return {
    sizeStep,
    edits: false,
    prepare,
    async dispose() {
      await Promise.all([text.dispose(), denoiser.dispose(), decoder.dispose()])
    },
  }
}
