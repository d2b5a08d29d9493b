import type { Backend } from '../backends/backend.ts'
import { ModelFormatError } from '../errors/index.ts'
import type { JobContext, Progress } from '../jobs/job-context.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { encodeBase64 } from '../schemas/base64.ts'
import type { ImageData, ImageResponse } from '../schemas/index.ts'
import type { ImageEditJob, ImageGenerationJob } from './image-jobs.ts'
import { type ImageManifest, readImageManifest } from './image-manifest.ts'
import type { DrawingContext, DrawnPicture, ImagePipeline, PictureRequest } from './image-pipeline.ts'
import { openImagePipeline } from './open-image-pipeline.ts'
import { pasteThrough } from './picture/mask.ts'
import type { PictureCodec } from './picture/picture-codec.ts'
import { parseSize, planMultiple, planMultipleEdit, planNative, planNativeEdit } from './picture/picture-size.ts'
import type { PixelImage, Size } from './picture/pixel-image.ts'
import { readControlPicture, readMask, readSources } from './picture/read-sources.ts'
import { applySourceEdit } from './picture/source-edit.ts'
import { findPromptWarnings } from './prompt/prompt-warnings.ts'

/** An opened image model and the jobs it does. */
export interface ImageTask {
  /** Bytes that a picture of 512 × 512, or of the largest native size, takes beside the model. */
  readonly workingMemory: number
  /** The same where one part of the model is open at a time. */
  readonly stageMemory: number
  /** @throws InvalidRequestError for a prompt or size that the model can't take */
  generateImage(job: ImageGenerationJob, context: JobContext): Promise<ImageResponse>
  /** @throws InvalidRequestError for a prompt, source or mask that can't be taken */
  editImage(job: ImageEditJob, context: JobContext): Promise<ImageResponse>
  /** Frees the sessions. Safe to call twice. */
  dispose(): Promise<void>
}

interface Opened {
  readonly pipeline: ImagePipeline
  readonly codec: PictureCodec
  /** Sizes that an embedded model was trained on; undefined where the model makes any multiple of its step. */
  readonly natives: readonly Size[] | undefined
  readonly manifest: ImageManifest
}

/** What is made of what the model draws. */
interface Framing {
  finish(picture: DrawnPicture): PixelImage | Promise<PixelImage>
  /** Gives a preview the shape of the finished picture. */
  frame(preview: PixelImage): PixelImage
}

const USUAL_PIXELS = 512 * 512

/** @throws ModelFormatError naming the file that is missing or wrong */
export async function openImageTask({
  backend,
  files,
  codec,
}: {
  readonly backend: Backend
  readonly files: ModelFiles
  readonly codec: PictureCodec
}): Promise<ImageTask> {
  const manifest = await readImageManifest(files)
  const natives = manifest.native_sizes?.map(([width, height]) => ({ width, height }))
  const pipeline = await openImagePipeline({ backend, files })
  const step = pipeline.sizeStep
  if (natives?.some(({ width, height }) => width % step !== 0 || height % step !== 0)) {
    await pipeline.dispose()
    const expected = `native_sizes in multiples of ${step}`
    throw new ModelFormatError(`${files.location}/tessera.json`, expected, JSON.stringify(manifest.native_sizes))
  }
  const opened = { pipeline, codec, natives, manifest }
  const pixels = natives ? Math.max(...natives.map(({ width, height }) => width * height)) : USUAL_PIXELS
  return {
    workingMemory: pipeline.workingMemory(pixels),
    stageMemory: (pipeline.stageMemory ?? pipeline.workingMemory)(pixels),
    generateImage: (job, context) => generateImage(opened, job, context),
    editImage: (job, context) => editImage(opened, job, context),
    dispose: () => pipeline.dispose(),
  }
}

async function generateImage(opened: Opened, job: ImageGenerationJob, context: JobContext): Promise<ImageResponse> {
  opened.pipeline.requirePictures({ references: 0, isControlled: job.control !== undefined })
  const size = parseSize(job.size)
  const { drawn, place, ...framing } = opened.natives
    ? planNative(size, opened.natives)
    : planMultiple(size, opened.pipeline.sizeStep)
  const control = await readControl(job, (picture) => place(picture, () => context.turn()), opened.codec)
  return draw(opened, job, { ...drawn, ...control }, framing, context)
}

/**
 * The result has the size of the first source: as the model sees it (the reference pipeline's rule), or for a model
 * of a few sizes as it was sent. Such a model sees every source whole, resampled to the native size of the closest
 * shape, and what it draws is resampled back. What a mask keeps, or the model by itself, is pasted back from the source, pixel by pixel, and where
 * the model changed colours alone, the source's are changed so.
 */
async function editImage({ codec, ...opened }: Opened, job: ImageEditJob, context: JobContext): Promise<ImageResponse> {
  const { natives, pipeline } = opened
  pipeline.requirePictures({ references: job.images?.length ?? 1, isControlled: job.control !== undefined })
  const sources = await readSources(job, codec)
  const main = sources[0]!
  const mask = await readMask(job.mask, main, codec)
  const { drawn, frame, ...plan } = natives
    ? planNativeEdit(main, natives)
    : { drawn: undefined, ...planMultipleEdit(main, pipeline.sizeStep) }
  const turn = () => context.turn()
  const references: PixelImage[] = []
  for (const picture of sources) references.push(await plan.fit(picture, turn))
  const request = {
    references,
    ...drawn,
    ...(mask && { mask: await plan.fit(mask, turn) }),
    ...(job.strength !== undefined && { strength: job.strength }),
    ...(await readControl(job, (picture) => plan.place(picture, turn), codec)),
  }
  const shown = (picture: PixelImage) => plan.shown(picture, turn)
  // Resampling takes up to seconds, and is the same for all pictures of the request.
  const source = once(() => shown(main))
  const open = mask && once(() => shown(mask))
  const finish = async (picture: DrawnPicture) => {
    const result = drawn ? await shown(picture) : picture
    if (open) return pasteThrough(result, await source(), await open())
    return picture.edit ? applySourceEdit(result, await source(), picture.edit) : result
  }
  return draw({ codec, ...opened }, job, request, { finish, frame }, context)
}

/** Makes it when it is asked for, and no second time. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** The picture to follow. @param place cuts off what exceeds the shape of the new one */
async function readControl(
  { control }: ImageGenerationJob | ImageEditJob,
  place: (picture: PixelImage) => Promise<PixelImage>,
  codec: PictureCodec,
) {
  if (control === undefined) return {}
  const picture = await place(await readControlPicture(control.image, codec))
  return { control: { picture, scale: control.scale } }
}

async function draw(
  { pipeline, codec, manifest }: Opened,
  { prompt, seed, n, steps, guidance, negativePrompt }: ImageGenerationJob | ImageEditJob,
  request: Omit<PictureRequest, 'prompt'>,
  { finish, frame }: Framing,
  context: JobContext,
): Promise<ImageResponse> {
  const sampling = {
    ...(steps !== undefined && { steps }),
    ...(guidance !== undefined && { guidance }),
    ...(negativePrompt !== undefined && { negativePrompt }),
  }
  const turn = () => context.turn()
  const { onPreview } = context
  const previews = onPreview !== undefined
  context.onProgress?.({ stage: 'encoding', done: 0, total: 1 })
  const prepared = await pipeline.prepare({ prompt, ...request, ...sampling, previews }, { turn })
  context.onProgress?.({ stage: 'encoding', done: 1, total: 1 })
  const each = prepared.steps + prepared.runs
  const data: ImageData[] = []
  for (let k = 0; k < n; k++) {
    const onProgress = ({ stage, done }: Progress) => {
      const before = k * each + (stage === 'decoding' ? prepared.steps : 0)
      context.onProgress?.({ stage, done: before + done, total: n * each })
    }
    const look: DrawingContext['onLook'] = async (seen, at) =>
      onPreview?.({ picture: k, ...at, b64_json: encodeBase64(await codec.encode(frame(seen))) })
    const drawing = { turn, onProgress, ...(previews && { onLook: look }) }
    const picture = await finish(await prepared.draw(addToSeed(seed, k), drawing))
    data.push({ b64_json: encodeBase64(await codec.encode(picture)) })
  }
  // A request has n of 1 or more.
  const pictures = data as [ImageData, ...ImageData[]]
  const warnings = findPromptWarnings(prompt, request.references !== undefined, manifest)
  return { data: pictures, ...(warnings.length > 0 && { warnings }) }
}

/** Noise depends on the low 32 bits of a seed, so that this holds at the end of the safe integers as well. */
function addToSeed(seed: number, k: number): number {
  return Number(BigInt.asUintN(32, BigInt(seed) + BigInt(k)))
}
