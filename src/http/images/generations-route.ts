import * as z from 'zod'
import { asChecked } from '../../engine/calls/checked-calls.ts'
import type { Engine } from '../../engine/index.ts'
import { imageGenerationRequestSchema } from '../../schemas/index.ts'
import type { Route } from '../route.ts'
import type { Accounting } from '../usage/charge-answer.ts'
import { createImageRoute } from './image-route.ts'
import { openAiGenerationFieldsSchema, toCall } from './openai-fields.ts'

/** Section 2.1 of the specification, with the fields of OpenAI's clients. */
export const generationBodySchema = z.intersection(imageGenerationRequestSchema, openAiGenerationFieldsSchema)

/**
 * `POST /v1/images/generations`.
 *
 * @param maxBodyBytes Of a body, which may hold a picture to follow.
 */
export function createGenerationsRoute(
  engine: Pick<Engine, 'generateImage'>,
  accounting: Accounting,
  maxBodyBytes: number,
): Route {
  return createImageRoute({
    path: '/v1/images/generations',
    endpoint: 'generations',
    eventName: 'image_generation',
    takes: 'pictures',
    schema: generationBodySchema,
    maxBodyBytes,
    accounting,
    draw(fields, options) {
      const { request, sampling } = toCall(fields)
      return engine.generateImage(request, asChecked(request, { ...options, ...sampling }))
    },
  })
}
