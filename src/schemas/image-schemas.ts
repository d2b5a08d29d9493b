import * as z from 'zod'
import { Fault, kindOf, shown, under } from './fault.ts'
import type { ImageData } from './image-types.ts'
import { LIMITS } from './limits.ts'
import { parseRequest } from './parse-request.ts'
import { readString } from './read-text.ts'
import { expected, reader, unicodeString } from './zod-reader.ts'

const { imageSide, imagesPerCall, sourceImages, promptCharacters } = LIMITS

/**
 * A picture in base64, as a data URL or as the bytes of its file. It has a name, as without one its declaration has an array of bytes
 * with the type of its buffer, which TypeScript knows from 5.7 on only.
 */
type SourceInput = string | Uint8Array

function readPrompt(value: unknown): string {
  if (typeof value !== 'string') throw new Fault([], expected('a string')({ input: value }))
  if (value === '') throw new Fault([], 'must not be empty')
  return readString(value, promptCharacters)
}

/** Words of 1 to 32,000 characters. */
const promptSchema = reader(readPrompt, { type: 'string', minLength: 1 })

/** The same, or the empty text that forms send for a field that was left alone, which is as none: guidance leads away from the empty prompt then. */
export const negativePromptSchema = reader(
  (value): string | undefined => (value === '' ? undefined : readPrompt(value)),
  { type: 'string' },
)

const SOURCE_JSON = { type: 'string', minLength: 1 } as const

/** A picture in base64, as a data URL or as bytes; it is checked to be there, decoding it comes later. */
export const pictureSourceSchema = reader(readSource, SOURCE_JSON)

/** What was meant as a size, with other signs or numbers. Errors show it; any other text may be content. */
const SIZE_LIKE = /^(?:auto|[\dxX×*:., -]{0,24})$/

const countError = { error: expected(`an integer from ${imagesPerCall.min} to ${imagesPerCall.max}`, shown) }
const count = z.int(countError).min(imagesPerCall.min, countError).max(imagesPerCall.max, countError).default(1)

const sizeError = expected(
  `"<W>x<H>" with whole numbers of pixels from ${imageSide.min} to ${imageSide.max} per side`,
  (value) => (typeof value === 'string' && SIZE_LIKE.test(value) ? `'${value}'` : kindOf(value)),
)
const size = z.string({ error: sizeError }).refine(isSize, { error: sizeError }).default('1024x1024')

const model = unicodeString('a string').optional()
const seed = z.int({ error: expected('an integer within ±(2^53 - 1)', shown) }).optional()

/** Body of an image generation request. */
export const imageGenerationRequestSchema = z.object(
  {
    /** Name of the model; without it `alpha-image-turbo`. */
    model,
    /** What to draw, 1 to 32,000 characters. */
    prompt: promptSchema,
    /** Width and height in pixels, such as `1024x1024`. */
    size,
    /** Number that the noise comes from; absent where it is drawn at random. */
    seed,
    /** How many pictures, 1 to 4. */
    n: count,
  },
  { error: expected('a JSON object') },
)

/** Body of an image edit request. The sources are checked to be there; decoding them comes later. */
export const imageEditRequestSchema = z
  .object(
    {
      /** Name of the model; without it `beta-klein-4b`. */
      model,
      /** What to change, 1 to 32,000 characters. */
      prompt: promptSchema,
      /** The source, in base64 or as a data URL; absent where there are `images`. */
      image: pictureSourceSchema.optional(),
      /** Several sources in place of `image`. */
      images: reader(readSources, {
        type: 'array',
        items: SOURCE_JSON,
        minItems: sourceImages.min,
        maxItems: sourceImages.max,
      }).optional(),
      /** Not in the specification; OpenAI's clients send one. It is checked to be there; decoding it comes later. */
      mask: pictureSourceSchema.optional(),
      /** Not in the specification, where edits cannot be repeated; means what it means in a generation. */
      seed,
      /** How many pictures, 1 to 4. */
      n: count,
    },
    { error: expected('a JSON object') },
  )
  .check(({ value, issues }) => {
    const { image, images } = value
    if (image === undefined && images === undefined) {
      issues.push({ code: 'custom', input: undefined, path: ['image'], message: 'is required: image or images' })
    }
    if (image !== undefined && images !== undefined) {
      issues.push({ code: 'custom', input: undefined, path: ['images'], message: 'must not come together with image' })
    }
  })

/** Body of the response of both image endpoints. */
export const imageResponseSchema = z.object({
  data: z.array(z.object({ b64_json: z.string().min(1) })).min(1) as unknown as z.ZodType<
    readonly [ImageData, ...ImageData[]]
  >,
})

/** An image generation request that passed validation, defaults filled in. */
export type ImageGenerationRequest = z.output<typeof imageGenerationRequestSchema>
/** An image edit request that passed validation, defaults filled in. */
export type ImageEditRequest = z.output<typeof imageEditRequestSchema>

/**
 * Checks the body of a request for pictures and gives a clean copy.
 *
 * @example
 * ```ts
 * const { prompt, size } = parseImageGenerationRequest({ prompt: 'an apple on a blue background' })
 * ```
 *
 * @throws InvalidRequestError for the first fault in document order
 */
export function parseImageGenerationRequest(body: unknown): ImageGenerationRequest {
  return parseRequest(imageGenerationRequestSchema, body)
}

/**
 * Checks the body of a request for an edit and gives a clean copy.
 *
 * @example
 * ```ts
 * const { prompt } = parseImageEditRequest({ prompt: 'make it green', image: 'iVBORw0KGgo' })
 * ```
 *
 * @throws InvalidRequestError for the first fault in document order
 */
export function parseImageEditRequest(body: unknown): ImageEditRequest {
  return parseRequest(imageEditRequestSchema, body)
}

/** Bytes are what a caller in the process, or the reader of a body, has made of a picture already. */
function readSource(value: unknown): SourceInput {
  if (value instanceof Uint8Array && value.length > 0) return value
  if (value instanceof Uint8Array) throw new Fault([], 'must not be empty')
  if (typeof value !== 'string') throw new Fault([], `must be a base64 string or a data URL, got ${kindOf(value)}`)
  if (value === '') throw new Fault([], 'must not be empty')
  return value
}

function readSources(value: unknown): readonly SourceInput[] {
  const range = `${sourceImages.min} to ${sourceImages.max} images`
  if (!Array.isArray(value)) throw new Fault([], `must be an array of ${range}, got ${kindOf(value)}`)
  if (value.length < sourceImages.min || value.length > sourceImages.max) {
    throw new Fault([], `must be an array of ${range}, got ${value.length}`)
  }
  return Array.from(value, (source: unknown, index) => under(String(index), () => readSource(source)))
}

function isSize(text: string): boolean {
  const sides = /^([1-9]\d{0,5})x([1-9]\d{0,5})$/.exec(text)?.slice(1).map(Number) ?? []
  return sides.length === 2 && sides.every((side) => side >= imageSide.min && side <= imageSide.max)
}
