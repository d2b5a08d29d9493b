import {
  type ImageModelV4,
  type ImageModelV4CallOptions,
  type ImageModelV4File,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import type { EditImageCallOptions } from '../engine/index.ts'
import { headersOfPart } from './call-headers.ts'
import { type Draw, drawAll } from './draw-all.ts'
import { type Callee, chooseCalls } from './model-calls.ts'
import { passOn, warnOfUnknown } from './warnings.ts'

const OPTIONS = [
  'steps',
  'guidance',
  'negativePrompt',
  'strength',
  'control',
] as const satisfies readonly (keyof EditImageCallOptions)[]

/** Generates pictures, or edits those that come with the prompt. */
export function createImageModel(callee: Callee, modelId: string): ImageModelV4 {
  /** How a call's pictures are asked for, so many at a time. */
  function prepare(options: ImageModelV4CallOptions): Draw {
    const { size, files, mask, abortSignal, providerOptions, headers } = options
    // The schema says that a prompt is missing.
    const prompt = options.prompt!
    const { strength, ...sampling } = readSampling(providerOptions.tessera)
    const callsBehind = (drawn: number) => chooseCalls(callee, providerOptions.tessera, headersOfPart(headers, drawn))
    const call = { ...sampling, signal: abortSignal }
    if (files === undefined || files.length === 0) {
      const request = { model: modelId, prompt, ...(size && { size }) }
      return (n, drawn, seed) =>
        callsBehind(drawn).generateImage({ ...request, n, ...(seed !== undefined && { seed }) }, call)
    }
    const sources = files.map(toSource)
    const given = sources.length === 1 ? { image: sources[0]! } : { images: sources }
    const request = { model: modelId, prompt, ...given, ...(mask && { mask: toSource(mask) }) }
    return (n, drawn, seed) => callsBehind(drawn).editImage({ ...request, n }, { ...call, strength, seed })
  }

  return {
    specificationVersion: 'v4',
    provider: 'tessera',
    modelId,
    // Calls that the AI SDK divides have the same seed, and so the same pictures again.
    maxImagesPerCall: Number.MAX_SAFE_INTEGER,
    supportsMaskInputs: true,
    async doGenerate(options) {
      const timestamp = new Date()
      const { images, warnings } = await drawAll(prepare(options), options)
      return {
        images,
        warnings: [...findWarnings(options), ...passOn(warnings)],
        response: { timestamp, modelId, headers: undefined },
      }
    },
  }
}

function findWarnings(options: ImageModelV4CallOptions): SharedV4Warning[] {
  const { size, aspectRatio, files = [], mask, providerOptions } = options
  const isEdit = files.length > 0
  const forEdits = 'it is for edits: give a source in prompt.images'
  const ignored = [
    aspectRatio !== undefined && (['aspectRatio', 'give a size instead'] as const),
    isEdit && size !== undefined && (['size', 'an edit has the sides of its first source'] as const),
    !isEdit && mask !== undefined && (['mask', forEdits] as const),
    !isEdit &&
      providerOptions.tessera?.['strength'] !== undefined &&
      (['providerOptions.tessera.strength', forEdits] as const),
  ].filter((each) => each !== false)
  return [
    ...ignored.map(([feature, details]) => ({ type: 'unsupported', feature, details }) as const),
    ...warnOfUnknown(providerOptions, [...OPTIONS, 'background']),
  ]
}

/** `providerOptions.tessera`; the engine checks the values. */
function readSampling(
  options: Partial<Record<string, unknown>> = {},
): Pick<EditImageCallOptions, (typeof OPTIONS)[number]> {
  return Object.fromEntries(OPTIONS.map((name) => [name, options[name]]))
}

function toSource(file: ImageModelV4File): string {
  if (file.type === 'file') return typeof file.data === 'string' ? file.data : Buffer.from(file.data).toString('base64')
  if (/^data:/i.test(file.url)) return file.url
  throw new UnsupportedFunctionalityError({
    functionality: 'image URLs',
    message: 'pictures are not fetched from URLs: give their bytes',
  })
}
