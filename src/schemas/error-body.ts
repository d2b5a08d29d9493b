import * as z from 'zod'

/** Body of every error response. Other fields, such as `detail`, are kept. */
export const errorBodySchema = z.looseObject({
  /** The sentence for people; it names fields and never quotes a request. */
  message: z.string(),
  /** What happened, such as `invalid_request`: docs/errors.md lists them. */
  error_type: z.string(),
})

/** What the service answers where something is wrong. */
export type ErrorBody = z.infer<typeof errorBodySchema>
