import { InvalidRequestError } from '../../errors/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { LatentDecoder } from '../decoding/latent-decoder.ts'
import type {
  GivenPictures,
  ImagePipeline,
  PictureRequest,
  PreparedPictures,
  SamplingDefaults,
} from '../image-pipeline.ts'
import { sampleNearest } from '../picture/mask.ts'
import { fromPlanes, type PixelImage } from '../picture/pixel-image.ts'
import { prepareReference } from '../picture/reference-image.ts'
import { LatentPreviewer } from '../previews/latent-previewer.ts'
import { type Previewer, watchDrawing } from '../previews/previewer.ts'
import type { PromptField } from '../prompt/prompt-tokenizer.ts'
import type { TextEncoder } from '../prompt/text-encoder.ts'
import { requireSampling, requireSize, requireStartSize, requireTexts, sidesOf } from '../request-values.ts'
import { denoise } from '../sampling/denoise.ts'
import { createNoise } from '../sampling/noise.ts'
import { patchify, unpatchify } from '../sampling/packing.ts'
import type { Grid } from '../sampling/positions.ts'
import { guide, type Predict } from '../sampling/predict.ts'
import { createSampler } from '../sampling/samplers/create-sampler.ts'
import { computeLinearMu, spaceLevelsTorch } from '../sampling/schedule.ts'
import type { SchedulerConfig } from '../sampling/scheduler-config.ts'
import { beginFrom, firstStep, type Start } from '../sampling/start.ts'
import { type MaskedSource, readControl, requireControl, requireControlNet, seesMasks } from './control.ts'
import type { Posterior, StartEncoder } from './start-encoder.ts'
import type { ZImageDenoiser } from './z-image-denoiser.ts'
import type { ControlInputs } from './z-image-steps.ts'

const DEFAULT_SIDE = 1024
/** Latent values per token and side. */
export const PATCH = 2
/** What ZImageImg2ImgPipeline and ZImageInpaintPipeline take where none is given. */
const STRENGTH = 0.6
const MASKED_STRENGTH = 1

export interface ZImageParts {
  readonly text: TextEncoder
  readonly denoiser: ZImageDenoiser
  readonly encoder: StartEncoder
  readonly decoder: LatentDecoder
  /** Previews by a decoder of their own; undefined where the checkpoint has none. */
  readonly previewer: Previewer | undefined
  readonly scheduler: SchedulerConfig
  /** Channels of the latents. */
  readonly channels: number
  /** Channels of the latents of a control; undefined where the checkpoint has no ControlNet. */
  readonly controlChannels: number | undefined
  /** Pixels per latent value. */
  readonly scale: number
  readonly defaults: SamplingDefaults
}

/** The steps of diffusers' ZImagePipeline, ZImageImg2ImgPipeline and ZImageInpaintPipeline, in float32. */
export function createZImagePipeline(parts: ZImageParts): ImagePipeline {
  const { text, denoiser, encoder, decoder, scheduler, channels, scale, defaults } = parts
  const sizeStep = scale * PATCH
  const sampler = createSampler(scheduler)
  const previewer = parts.previewer ?? createPreviewer(parts)

  async function prepare(request: PictureRequest, context: JobContext): Promise<PreparedPictures> {
    const { steps = defaults.steps, guidance = defaults.guidance } = request
    const picture = readPicture(request, sizeStep)
    const { width = DEFAULT_SIDE, height = DEFAULT_SIDE } = { ...picture, ...sidesOf(request) }
    requireSize(width, height, sizeStep)
    requireValues({ ...request, steps, guidance }, parts)
    const size = { height: height / scale, width: width / scale }
    const grid = { height: size.height / PATCH, width: size.width / PATCH }
    const { masked, posterior, start } = await readSource(request, picture, { ...parts, size }, context)
    const preview = request.previews ? await previewer.open(context) : undefined
    const control = await readControl(request, parts, { size, masked }, context)
    const predict = await beginPredictions(parts, { ...request, guidance, grid, control }, context)
    const mu = computeLinearMu(grid.height * grid.width, scheduler)
    const levels = sampler.plan({ levels: spaceLevelsTorch(steps), mu })
    return {
      steps: start === undefined ? steps : steps - firstStep(steps, start.strength),
      runs: decoder.countRuns(size),
      async draw(seed, drawing) {
        const source = createNoise(seed)
        const draw = () => source(channels * size.height * size.width)
        const toTokens = (latents: Float32Array) => patchify(latents, channels, size.height, size.width)
        // The reference draws from the posterior before it draws the noise.
        const begun = posterior && start && { ...start, clean: toTokens(encoder.sample(posterior, draw())) }
        const noise = () => toTokens(draw())
        const beginning = beginFrom(begun, noise(), levels)
        const onClean = preview && watchDrawing(preview, grid, drawing)
        const sampling = { step: sampler.begin(levels, noise), steps, sigmas: levels.sigmas, onClean }
        const tokens = await denoise({ ...sampling, ...beginning }, predict, drawing)
        const latents = unpatchify(tokens, channels, size.height, size.width)
        const { data } = await decoder.decode({ channels, ...size, data: latents }, drawing)
        return fromPlanes(data, width, height)
      },
    }
  }

  return {
    sizeStep,
    ...predictMemory(parts, sizeStep),
    requirePictures: (given) => requirePictures(parts, given),
    prepare,
    dispose: async () => void (await Promise.all([text, denoiser, encoder, decoder].map((part) => part.dispose()))),
  }
}

function predictMemory(parts: ZImageParts, step: number): Pick<ImagePipeline, 'workingMemory' | 'stageMemory'> {
  const { denoiser, decoder, encoder, previewer, controlChannels } = parts
  const isControlled = controlChannels !== undefined
  /** Previews are made while the transformer is open, pictures when the steps are over. */
  function stageMemory(pixels: number): number {
    const steps = denoiser.stageMemory(pixels / step ** 2) + (previewer?.workingMemory?.(pixels) ?? 0)
    return Math.max(isControlled ? encoder.workingMemory(pixels) : 0, steps, decoder.workingMemory(pixels))
  }
  /** A control is encoded before, and every session keeps what its run held. */
  function workingMemory(pixels: number): number {
    if (!isControlled) return stageMemory(pixels)
    const steps = denoiser.workingMemory(pixels / step ** 2)
    return encoder.workingMemory(pixels) + steps + decoder.workingMemory(pixels)
  }
  return { workingMemory, stageMemory }
}

function createPreviewer({ encoder, channels, scale }: ZImageParts): LatentPreviewer {
  return new LatentPreviewer({
    scale: scale * PATCH,
    async encode(picture, context) {
      const middle = encoder.middle(await encoder.encode(picture, context))
      return patchify(middle, channels, picture.height / scale, picture.width / scale)
    },
  })
}

function requireValues(request: PictureRequest & SamplingDefaults, parts: ZImageParts): void {
  const { steps, guidance, strength } = request
  requireSampling(steps, guidance, strength)
  requireTexts(parts.text, request, guidance > 0)
  requireControl(request, parts)
}

function requirePictures(parts: ZImageParts, { references, isControlled }: GivenPictures): void {
  requireOneReference(references)
  if (isControlled) requireControlNet(parts)
}

/** This model sees no pictures beside the one to begin with. */
function requireOneReference(references: number): void {
  if (references <= 1) return
  throw new InvalidRequestError('images', `this model changes one picture, got ${references}`)
}

/** The picture to begin with, fit for the encoder. */
function readPicture({ references = [], width, height }: PictureRequest, step: number): PixelImage | undefined {
  requireOneReference(references.length)
  const [main] = references
  const picture = main && prepareReference(main, step)
  if (picture) requireStartSize(width, height, picture)
  return picture
}

/** A source goes to a ControlNet with what may change of it, where that takes both; else denoising begins with it. */
async function readSource(
  request: PictureRequest,
  picture: PixelImage | undefined,
  model: Pick<ZImageParts, 'encoder' | 'channels' | 'controlChannels' | 'scale'> & { readonly size: Grid },
  context: JobContext,
): Promise<Source> {
  const { control, mask } = request
  if (picture === undefined) return {}
  if (control && mask && seesMasks(model)) {
    return { masked: { picture, mask: prepareReference(mask, model.scale * PATCH) } }
  }
  return { posterior: await model.encoder.encode(picture, context), start: readStart(request, model.size, model) }
}

interface Source {
  readonly masked?: MaskedSource
  readonly posterior?: Posterior
  readonly start?: Omit<Start, 'clean'>
}

function readStart(
  { mask, strength = mask ? MASKED_STRENGTH : STRENGTH }: PictureRequest,
  { height, width }: Grid,
  { channels, scale }: Pick<ZImageParts, 'channels' | 'scale'>,
): Omit<Start, 'clean'> {
  if (mask === undefined) return { strength }
  const places = sampleNearest(prepareReference(mask, scale * PATCH), height, width)
  const planes = Float32Array.from({ length: channels * places.length }, (_, i) => places[i % places.length]!)
  return { strength, mask: patchify(planes, channels, height, width) }
}

interface Predictions extends Pick<PictureRequest, 'prompt' | 'negativePrompt'> {
  readonly guidance: number
  readonly grid: Grid
  readonly control: ControlInputs | undefined
}

/** Reads the prompt, and where guidance asks for it the negative one. */
async function beginPredictions(
  { text, denoiser }: ZImageParts,
  { prompt, negativePrompt, guidance, grid, control }: Predictions,
  context: JobContext,
): Promise<Predict> {
  const begin = async (words: string, field: PromptField) =>
    denoiser.begin(await text.encode(words, context, field), grid, context, control, field)
  const positive = await begin(prompt, 'prompt')
  if (guidance <= 0) return positive
  return guide(positive, await begin(negativePrompt ?? '', 'negativePrompt'), guidance, 'positive')
}
