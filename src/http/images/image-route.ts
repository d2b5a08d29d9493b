import * as z from 'zod'
import type { ImageCallOptions } from '../../engine/index.ts'
import { renameField } from '../../errors/rename-field.ts'
import { type ImageResponse, imageResponseSchema } from '../../schemas/index.ts'
import { parseRequest } from '../../schemas/parse-request.ts'
import { WARNINGS_HEADER } from '../../schemas/warning.ts'
import type { BodyType } from '../body/body-readers.ts'
import { toCallOptions } from '../call-options.ts'
import { digest } from '../digest.ts'
import { createJsonResponse } from '../json-response.ts'
import type { Call, Route } from '../route.ts'
import { type Accounting, type Asking, chargeAnswer } from '../usage/charge-answer.ts'
import { fromForm } from './form-fields.ts'
import { dropDefaults, FIELD_NAMES } from './openai-fields.ts'
import { type EventName, secondsNow, toPartial } from './picture-events.ts'
import { selectPreviews } from './select-previews.ts'
import { streamPictures, type Watching } from './stream-pictures.ts'
import { tellWarnings } from './told-warnings.ts'

interface Parts<Request> {
  readonly path: string
  readonly endpoint: 'generations' | 'edits'
  /** First part of the names of events. */
  readonly eventName: EventName
  readonly takes: BodyType
  readonly schema: z.ZodType<Request>
  readonly maxBodyBytes: number
  readonly accounting: Accounting
  draw(request: Request, options: ImageCallOptions): Promise<ImageResponse>
}

/** Section 2.3 of the specification, and the time, in seconds since 1970, which OpenAI's clients require. */
export const imageAnswerSchema = imageResponseSchema.extend({ created: z.int() })

interface ImageBody {
  readonly n: number
  readonly model?: string | null | undefined
  readonly seed?: number | null | undefined
  readonly control?: object | null | undefined
  readonly stream?: boolean | null | undefined
  readonly partial_images?: number | null | undefined
}

/** A route that answers with pictures, all at once or, where the client asks for it, as events. */
export function createImageRoute<Request extends ImageBody>({
  path,
  endpoint,
  eventName,
  takes,
  schema,
  maxBodyBytes,
  accounting,
  draw,
}: Parts<Request>): Route {
  function drawCharged(request: Request, asking: Asking, options: Watching) {
    const seeded = { ...request, seed: request.seed ?? seedOf(asking) }
    return chargeAnswer(accounting, asking, {
      endpoint,
      request,
      // Sources of edits and what pictures follow are large, and a client that reads a stream does not give up.
      mayBeAbandoned: endpoint === 'generations' && !request.control && !request.stream,
      foresee: () => request.n,
      answer: (signal, onProgress) =>
        draw(seeded, { signal, onProgress, ...toCallOptions(asking), ...options }).catch((error: unknown) => {
          throw renameField(error, FIELD_NAMES)
        }),
      count: ({ data }) => data.length,
    })
  }

  function stream(request: Request, call: Call): Promise<Response> {
    const draw = (watching: Watching, signal: AbortSignal) => drawCharged(request, { ...call, signal }, watching)
    return streamPictures(call, { eventName, previews: request.partial_images ?? 0, draw })
  }

  return {
    method: 'POST',
    path,
    access: 'work',
    scope: 'images',
    dialect: 'openai',
    takes,
    maxBodyBytes,
    async handle(call) {
      const body = await call.readBody()
      const request = parseRequest(schema, dropDefaults('form' in body ? fromForm(body.form) : body.json))
      if (request.stream) return stream(request, call)
      const watching = watchJob(call, eventName, request.partial_images ?? 0)
      const { data, warnings } = await drawCharged(request, call, watching)
      return answer(data, tellWarnings(warnings))
    },
  }
}

/** A request that comes again under its key is not charged again, and draws no other pictures. Undefined for a random seed. */
function seedOf({ caller, idempotencyKey }: Asking): number | undefined {
  return idempotencyKey === undefined
    ? undefined
    : Number.parseInt(digest(`${caller.id}\n${idempotencyKey}`).slice(0, 8), 16)
}

/** A job tells of previews where its events are read. */
function watchJob({ job }: Call, eventName: EventName, previews: number): Watching {
  if (job === undefined || previews === 0) return {}
  return {
    onPreview: selectPreviews(previews, (preview, index) => job.onPartial(toPartial(eventName, preview, index))),
  }
}

function answer(data: ImageResponse['data'], warnings: string | undefined): Response {
  const response = createJsonResponse({ created: secondsNow(), data } satisfies z.output<typeof imageAnswerSchema>)
  if (warnings !== undefined) response.headers.set(WARNINGS_HEADER, warnings)
  return response
}
