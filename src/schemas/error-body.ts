import { z } from 'zod'

/** Body of every error response. Other fields, such as `detail`, are kept. */
export const errorBodySchema = z.looseObject({ message: z.string(), error_type: z.string() })

export type ErrorBody = z.infer<typeof errorBodySchema>
