import { z } from 'zod'

/** A field of which only these values can be granted. Null says nothing, as everywhere in OpenAI's requests. */
const only = (values: readonly [string, ...string[]], reason: string) => z.enum(values, { error: reason }).nullish()

/** A field that can't be granted at all, and whose neglect would show in the picture. */
const never = (reason: string) => z.null({ error: reason }).optional()

const NO_MASK = 'is not taken: the prompt alone says what to change'

/**
 * Fields beyond the specification that OpenAI's clients send to both endpoints. All others, such as `quality` and
 * `user`, are ignored.
 */
export const openAiImageFieldsSchema = z.object({
  stream: z.boolean({ error: 'must be true or false' }).nullish(),
  response_format: only(['b64_json'], 'must be "b64_json": pictures come with the answer and are kept nowhere'),
  output_format: only(['png'], 'must be "png"'),
  background: only(['auto', 'opaque'], 'must be "auto" or "opaque": pictures have no transparent parts'),
})

/** Those of edits. */
export const openAiEditFieldsSchema = openAiImageFieldsSchema.extend({
  mask: never(NO_MASK),
  markup: never(NO_MASK),
  size: only(['auto'], 'must be "auto": an edited picture has the sides of its first source'),
  /** Not in the specification; the seed of a generation means the same. */
  seed: z.int({ error: 'must be an integer within ±(2^53 - 1)' }).nullish(),
})

/** A body without the members that say nothing: null, and a size of `auto`. */
export function dropDefaults(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const members = Object.entries(body).filter(
    ([name, value]) => value !== null && !(name === 'size' && value === 'auto'),
  )
  return Object.fromEntries(members)
}
