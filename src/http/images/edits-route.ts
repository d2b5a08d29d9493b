import * as z from 'zod'
import { asChecked } from '../../engine/calls/checked-calls.ts'
import type { Engine } from '../../engine/index.ts'
import { imageEditRequestSchema } from '../../schemas/index.ts'
import type { Route } from '../route.ts'
import type { Accounting } from '../usage/charge-answer.ts'
import { createImageRoute } from './image-route.ts'
import { openAiEditFieldsSchema, toCall } from './openai-fields.ts'

/** Section 2.2 of the specification, with the fields of OpenAI's clients. */
export const editBodySchema = z.intersection(imageEditRequestSchema, openAiEditFieldsSchema)

/**
 * `POST /v1/images/edits`, as JSON or as the form that OpenAI's clients send.
 *
 * @param maxBodyBytes Of a body, which holds pictures.
 */
export function createEditsRoute(
  engine: Pick<Engine, 'editImage'>,
  accounting: Accounting,
  maxBodyBytes: number,
): Route {
  return createImageRoute({
    path: '/v1/images/edits',
    endpoint: 'edits',
    eventName: 'image_edit',
    takes: 'pictures-or-form',
    schema: editBodySchema,
    maxBodyBytes,
    accounting,
    draw(fields, options) {
      const { request, sampling } = toCall(fields)
      const { seed, strength } = request
      const call = { ...options, ...sampling, seed: seed ?? undefined, strength: strength ?? undefined }
      return engine.editImage(request, asChecked(request, call))
    },
  })
}
