import * as z from 'zod'
import type { ImageCallOptions } from '../../engine/index.ts'
import type { FieldNames } from '../../errors/rename-field.ts'
import { CONTROL_SCALE, GUIDANCE, STRENGTH } from '../../images/sampling/sampling-options.ts'
import { count } from '../../options/index.ts'
import { negativePromptSchema, pictureSourceSchema } from '../../schemas/image-schemas.ts'
import { expected } from '../../schemas/zod-reader.ts'

/** A field of which only these values can be granted. Null says nothing, as everywhere in OpenAI's requests. */
const only = (values: readonly [string, ...string[]], reason: string) => z.enum(values, { error: reason }).nullish()

/** A field that can't be granted at all, and whose neglect would show in the picture. */
const never = (reason: string) => z.null({ error: reason }).optional()

const NO_MARKUP = 'is not taken: the prompt says what to change, and a mask where'

/** A request over the network takes no more steps than the published models are made for, times two. */
const MAX_STEPS = 100

const controlError = expected('an object with image, and scale where it is not to be 0.75')

const control = z.strictObject(
  { image: pictureSourceSchema, scale: CONTROL_SCALE.nullish() },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? 'must have no members but image and scale' : controlError(issue),
  },
)

/** How pictures are sampled: what the options of the same name are for calls in the same process. */
const samplingFields = {
  steps: count(1, MAX_STEPS).nullish(),
  guidance: GUIDANCE.nullish(),
  negative_prompt: negativePromptSchema.nullish(),
  control: control.nullish(),
}

/**
 * Fields beyond the specification that OpenAI's clients send to both endpoints. All others, such as `quality` and
 * `user`, are ignored.
 */
const openAiImageFieldsSchema = z.object({
  ...samplingFields,
  stream: z.boolean({ error: 'must be true or false' }).nullish(),
  /** Previews of each picture that a stream has; without one it says nothing. */
  partial_images: count(0, 3).nullish(),
  response_format: only(['b64_json'], 'must be "b64_json": pictures come with the answer and are kept nowhere'),
  output_format: only(['png'], 'must be "png"'),
  background: only(['auto', 'opaque'], 'must be "auto" or "opaque": pictures have no transparent parts'),
})

/** What bodies call options of calls that have another name there. */
export const FIELD_NAMES: FieldNames = { negativePrompt: 'negative_prompt' }

/** A body as the request and the options of a call, neither of which has what is in the other. */
export function toCall<Fields extends z.output<typeof openAiImageFieldsSchema>>(body: Fields) {
  const { steps, guidance, negative_prompt, control: followed, ...request } = body
  const sampling: ImageCallOptions = {
    steps: steps ?? undefined,
    guidance: guidance ?? undefined,
    negativePrompt: negative_prompt ?? undefined,
    control: followed ? { image: followed.image, scale: followed.scale ?? undefined } : undefined,
  }
  return { request, sampling }
}

const forEdits = never('belongs to POST /v1/images/edits; nothing of it would be in this picture')

/** Those of generations. Bodies of edits that are sent there would be drawn from their words alone, and charged. */
export const openAiGenerationFieldsSchema = openAiImageFieldsSchema.extend({
  image: forEdits,
  images: forEdits,
  mask: forEdits,
  strength: forEdits,
})

/** Those of edits. */
export const openAiEditFieldsSchema = openAiImageFieldsSchema.extend({
  markup: never(NO_MARKUP),
  /** Not in the specification; see `EditImageCallOptions`. */
  strength: STRENGTH.nullish(),
  size: only(['auto'], 'must be "auto": an edited picture has the sides of its first source'),
})

/** A body without the members that say nothing: null, and a size of `auto`. */
export function dropDefaults(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const members = Object.entries(body).filter(
    ([name, value]) => value !== null && !(name === 'size' && value === 'auto'),
  )
  return Object.fromEntries(members)
}
