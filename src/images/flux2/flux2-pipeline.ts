import type { Tensor } from '../../backends/backend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { LatentDecoder } from '../decoding/latent-decoder.ts'
import type { ImagePipeline, PictureRequest, PreparedPictures, SamplingDefaults } from '../image-pipeline.ts'
import { sampleBilinear } from '../picture/mask.ts'
import { fromPlanes, type PixelImage } from '../picture/pixel-image.ts'
import { prepareReference } from '../picture/reference-image.ts'
import { findSourceEdit } from '../picture/source-edit.ts'
import { createDecodedPreviewer } from '../previews/decoded-previewer.ts'
import { LatentPreviewer } from '../previews/latent-previewer.ts'
import { type Previewer, watchDrawing } from '../previews/previewer.ts'
import type { TextEncoder } from '../prompt/text-encoder.ts'
import { requireSampling, requireSize, requireStartSize, requireTexts, sidesOf } from '../request-values.ts'
import { denoise } from '../sampling/denoise.ts'
import { createNoise } from '../sampling/noise.ts'
import { transposeMatrix } from '../sampling/packing.ts'
import { guide, type Predict } from '../sampling/predict.ts'
import { createSampler } from '../sampling/samplers/create-sampler.ts'
import {
  computeEmpiricalMu,
  type Levels,
  spaceLevels,
  spaceShiftedLevels,
  spaceTrainedLevels,
} from '../sampling/schedule.ts'
import type { SchedulerConfig } from '../sampling/scheduler-config.ts'
import { beginFrom, firstStep, type Start } from '../sampling/start.ts'
import type { EncodedReference, Flux2Denoiser } from './flux2-denoiser.ts'
import type { ReferenceEncoder } from './reference-encoder.ts'

/** Side of the reference pipeline's default picture, in tokens. */
const DEFAULT_SIDE = 64
/** What Flux2KleinInpaintPipeline takes where none is given. */
const MASKED_STRENGTH = 0.8

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
  /** Whether previews are drawn by the decoder, and not by a map that is fitted to the encoder. */
  readonly decodesPreviews: boolean
  /** Whether pictures say what they did to their first reference. */
  readonly keepsSource: boolean
}

/** The steps of diffusers' Flux2KleinPipeline, in float32. */
export function createFlux2Pipeline(parts: Flux2Parts): ImagePipeline {
  const { text, denoiser, encoder, decoder, scheduler, channels, scale, distilled, defaults } = parts
  const sampler = createSampler(scheduler)
  const space = chooseSpacing(scheduler)
  const previewer = createPreviewer(parts)

  async function prepare(request: PictureRequest, context: JobContext): Promise<PreparedPictures> {
    const { steps = defaults.steps, guidance = defaults.guidance } = request
    refuseControl(request.control !== undefined)
    const pictures = (request.references ?? []).map((picture) => prepareReference(picture, scale))
    const { width = DEFAULT_SIDE * scale, height = DEFAULT_SIDE * scale } = { ...pictures[0], ...sidesOf(request) }
    requireSize(width, height, scale)
    requireSampling(steps, guidance, request.strength)
    const guided = guidance > 1 && !distilled
    requireTexts(text, request, guided)
    const references: EncodedReference[] = []
    for (const picture of pictures) references.push(await encoder.encode(picture, context))
    const preview = request.previews ? await previewer.open(context) : undefined
    const grid = { height: height / scale, width: width / scale }
    const count = grid.height * grid.width
    const start = readStart(request, references[0], { scale, channels })
    const redrawn = await redraw(parts, request, references[0], grid, context)
    const begin = (features: Tensor) => denoiser.begin(features, grid, references, context)
    const predict = await beginPredictions(parts, request, guided ? guidance : undefined, begin, context)
    const levels = sampler.plan({ levels: space(steps), mu: computeEmpiricalMu(count, steps) })
    return {
      steps: start === undefined ? steps : steps - firstStep(steps, start.strength),
      runs: decoder.countRuns(grid),
      async draw(seed, drawing) {
        const source = createNoise(seed)
        const noise = transposeMatrix(source(channels * count), channels, count)
        // Noise of later steps is drawn in the layout of tokens, as the reference draws it.
        const step = sampler.begin(levels, () => source(channels * count))
        const onClean = preview && watchDrawing(preview, grid, drawing)
        const beginning = beginFrom(start, noise, levels)
        const tokens = await denoise({ step, steps, sigmas: levels.sigmas, ...beginning, onClean }, predict, drawing)
        const picture = await decode(parts, tokens, grid, drawing)
        return redrawn ? { ...picture, edit: findSourceEdit(picture, redrawn) } : picture
      },
    }
  }

  return {
    sizeStep: scale,
    ...predictMemory(parts),
    requirePictures: ({ isControlled }) => refuseControl(isControlled),
    prepare,
    dispose: async () => void (await Promise.all([text, denoiser, encoder, decoder].map((part) => part.dispose()))),
  }
}

/** The reference leaves the levels to the scheduler where its configuration says `use_flow_sigmas`, of whatever class it is. */
function chooseSpacing(scheduler: SchedulerConfig): (steps: number) => Levels {
  if ('flow_shift' in scheduler) return spaceTrainedLevels
  if (!('use_flow_sigmas' in scheduler && scheduler.use_flow_sigmas)) return spaceLevels
  return (steps) => spaceShiftedLevels(steps, scheduler)
}

/** A reference is encoded before, and both sessions keep what their runs held. */
function predictMemory({ encoder, decoder }: Flux2Parts): Pick<ImagePipeline, 'workingMemory' | 'stageMemory'> {
  return {
    workingMemory: (pixels) => encoder.workingMemory(pixels) + decoder.workingMemory(pixels),
    stageMemory: (pixels) => Math.max(encoder.workingMemory(pixels), decoder.workingMemory(pixels)),
  }
}

/** @param tokens [count, channels] of a grid */
async function decode(
  { decoder, channels, scale }: Flux2Parts,
  tokens: Float32Array,
  grid: EncodedReference['grid'],
  context: JobContext,
): Promise<PixelImage> {
  const latents = { channels, ...grid, data: transposeMatrix(tokens, grid.height * grid.width, channels) }
  const { data } = await decoder.decode(latents, context)
  return fromPlanes(data, grid.width * scale, grid.height * scale)
}

/** The first reference as the model draws it, which its edits are compared with; none where they are of another size, or where a mask says what stays. */
async function redraw(
  parts: Flux2Parts,
  { mask }: PictureRequest,
  reference: EncodedReference | undefined,
  grid: EncodedReference['grid'],
  { turn }: JobContext,
): Promise<PixelImage | undefined> {
  if (!parts.keepsSource || reference === undefined || mask !== undefined) return undefined
  if (reference.grid.height !== grid.height || reference.grid.width !== grid.width) return undefined
  return decode(parts, reference.tokens, grid, { turn })
}

function createPreviewer({ encoder, decoder, channels, scale, decodesPreviews }: Flux2Parts): Previewer {
  if (decodesPreviews) return createDecodedPreviewer(decoder, channels)
  return new LatentPreviewer({
    scale,
    encode: async (picture, context) => (await encoder.encode(picture, context)).tokens,
  })
}

/** The picture to begin with, as diffusers' Flux2KleinInpaintPipeline begins; none where neither strength nor mask is given. */
function readStart(
  { strength, mask, references: [picture] = [], width, height }: PictureRequest,
  encoded: EncodedReference | undefined,
  { scale, channels }: Pick<Flux2Parts, 'scale' | 'channels'>,
): Start | undefined {
  if ((strength === undefined && mask === undefined) || picture === undefined || encoded === undefined) return undefined
  const share = strength ?? MASKED_STRENGTH
  const { grid, tokens } = encoded
  requireStartSize(width, height, { width: grid.width * scale, height: grid.height * scale })
  if (mask === undefined) return { clean: tokens, strength: share }
  const places = sampleBilinear(prepareReference(mask, scale), grid.height, grid.width)
  return { clean: tokens, strength: share, mask: tokens.map((_, i) => places[Math.floor(i / channels)]!) }
}

/** Reads the prompt, and where guidance asks for it the negative one. */
async function beginPredictions(
  { text }: Flux2Parts,
  { prompt, negativePrompt }: PictureRequest,
  guidance: number | undefined,
  begin: (features: Tensor) => Predict,
  context: JobContext,
): Promise<Predict> {
  const positive = begin(await text.encode(prompt, context))
  return guidance !== undefined
    ? guide(positive, begin(await text.encode(negativePrompt ?? '', context, 'negativePrompt')), guidance, 'negative')
    : positive
}

function refuseControl(isControlled: boolean): void {
  if (!isControlled) return
  throw new InvalidRequestError('control', 'is for models with a ControlNet, which those of FLUX.2 do not have')
}
