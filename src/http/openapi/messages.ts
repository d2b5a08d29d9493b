import { LIMITS } from '../../schemas/index.ts'
import { EXAMPLES } from './examples.ts'

// The bodies of requests and responses, as operations of the document name them.

interface ErrorAnswer {
  readonly description: string
  readonly type: string
  readonly message: string
}

const error = (description: string, type: string, message: string): ErrorAnswer => ({ description, type, message })

const ERRORS = {
  400: error(
    'The request is not valid HTTP, or its Idempotency-Key is malformed.',
    'invalid_request',
    'Host: must be given once',
  ),
  401: error('Missing, unknown or expired API key.', 'authentication_error', 'missing or invalid API key'),
  402: error(
    'Free tokens and prepaid balance do not cover the request. Free tokens are for decisions.',
    'insufficient_quota',
    'the balance of this API key does not cover the request',
  ),
  403: error(
    'The API key lacks the scope that the message names, or may not use the model.',
    'permission_error',
    'this API key lacks the scope images',
  ),
  404: error(
    'No model of this name is installed.',
    'model_not_found',
    'model: no model of this name is installed here; GET /v1/models lists those that are',
  ),
  405: error('The path takes another method; `Allow` names it.', 'method_not_allowed', 'this path takes POST'),
  408: error('The request did not arrive in time.', 'invalid_request', 'the request did not arrive in time'),
  409: error(
    'The Idempotency-Key was used for another request.',
    'idempotency_error',
    'Idempotency-Key: was used for another request',
  ),
  413: error('The body is larger than this server takes.', 'invalid_request', 'body: must be at most 8388608 bytes'),
  415: error(
    'The body is not of a type that the path takes.',
    'invalid_request',
    'body: must be sent with "Content-Type: application/json"',
  ),
  421: error(
    'A server without keys was asked under a name that is not its own.',
    'invalid_request',
    'Host: this server does not answer for this name',
  ),
  422: error(
    'The body does not fit the format; the message names the field.',
    'invalid_request',
    'questions.team.criteria: needs 2 to 26 options, got 1',
  ),
  429: error(
    'Too many requests for the key, or too many at once; retry with backoff.',
    'rate_limit_error',
    'too many requests for this API key: at most 600 a minute; retry later',
  ),
  431: error(
    'The headers are larger than this server takes.',
    'invalid_request',
    'the headers are larger than this server takes',
  ),
  500: error(
    'The server failed; its log says why, under the id of the response.',
    'internal_error',
    'the server failed to answer; its log says why, under the id of this response',
  ),
  503: error(
    'The store of keys, balances and jobs is away; no work was begun; retry with backoff.',
    'store_unavailable',
    'the store of balances is away; retry with backoff',
  ),
  507: error(
    'The model needs more memory than is free here.',
    'insufficient_memory',
    'the server failed to answer; its log says why, under the id of this response',
  ),
  529: error(
    'Service busy, or shutting down; retry with backoff.',
    'overloaded',
    'the server is shutting down; retry with backoff',
  ),
} as const

export type Status = keyof typeof ERRORS

const BACKOFF_HEADERS = {
  'retry-after': { description: 'Seconds to wait, at least 1.', schema: { type: 'integer', minimum: 1 } },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } },
}

export const REQUEST_ID = {
  'x-request-id': { description: 'Different on every response.', schema: { type: 'string' } },
}

export type Schema = keyof typeof EXAMPLES

function reference(schema: string, example: unknown) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } }
}

export function body(schema: Schema) {
  return { required: true, content: reference(schema, EXAMPLES[schema]) }
}

export function answer(description: string, schema: Schema, example: object = EXAMPLES[schema]) {
  return { description, headers: REQUEST_ID, content: reference(schema, example) }
}

/** A body of JSON Lines. OpenAPI 3.1 has no word for them: schema and example are those of a line. */
export function lines(schema: Schema, description: string) {
  return { description, content: { 'application/jsonl': reference(schema, EXAMPLES[schema])['application/json'] } }
}

const FILE = { type: 'string', format: 'binary' }

const FORM_BACKGROUND =
  '`true` has the request answered as a job, as `Prefer: respond-async` does; the others are about the picture.'

/** OpenAI's clients send files; the fields are those of the JSON body. */
export function withForm({ required, content }: ReturnType<typeof body>) {
  const properties = {
    // Also as image[]; named here as well, it would be the same name in languages that have no brackets in theirs.
    image: { type: 'array', items: FILE, minItems: 1, maxItems: LIMITS.sourceImages.max },
    mask: FILE,
    'control[image]': FILE,
    'control[scale]': { type: 'number', minimum: 0, maximum: 2 },
    prompt: { type: 'string' },
    model: { type: 'string' },
    n: { type: 'integer', minimum: 1, maximum: LIMITS.imagesPerCall.max },
    seed: { type: 'integer' },
    steps: { type: 'integer', minimum: 1, maximum: 100 },
    guidance: { type: 'number', minimum: 0, maximum: 100 },
    negative_prompt: { type: 'string' },
    strength: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
    stream: { type: 'boolean' },
    partial_images: { type: 'integer', minimum: 0, maximum: 3 },
    size: { type: 'string', enum: ['auto'] },
    response_format: { type: 'string', enum: ['b64_json'] },
    output_format: { type: 'string', enum: ['png'] },
    background: { type: 'string', enum: ['true', 'false', 'auto', 'opaque'], description: FORM_BACKGROUND },
  }
  const schema = { type: 'object', required: ['prompt', 'image'], properties }
  return {
    required,
    content: { ...content, 'multipart/form-data': { schema } },
  }
}

export function images(event: string) {
  const { content, ...response } = answer(
    'The images as base64-encoded PNG; with `stream: true` as events.',
    'ImageResponse',
  )
  const description = `Comments that tell of progress, one \`${event}.completed\` event for each image, or an \`error\` event.`
  return { ...response, content: { ...content, 'text/event-stream': { schema: { type: 'string', description } } } }
}

export function errors(statuses: readonly Status[]) {
  return Object.fromEntries(
    statuses.map((status) => {
      const { description, type, message } = ERRORS[status]
      const example = { message, error_type: type, detail: { error_type: type, message } }
      const backoff = status === 429 || status === 503 || status === 529 ? BACKOFF_HEADERS : {}
      return [status, { description, headers: { ...REQUEST_ID, ...backoff }, content: reference('Error', example) }]
    }),
  )
}

const BACKGROUND = 'The request is answered as a job, as `Prefer: respond-async` or `background: true` asks.'

/** The answer to a request that is to be a job. */
export function accepted(description = BACKGROUND) {
  const { content } = answer('', 'Job')
  const location = { description: 'Where the job is.', schema: { type: 'string' } }
  return { description, headers: { ...REQUEST_ID, location }, content }
}

export const PREFER = {
  name: 'Prefer',
  in: 'header',
  description:
    '`respond-async` has the request answered as a job; `keep-result=60` has its result kept for so many seconds, 0 until it is fetched.',
  schema: { type: 'string' },
  example: 'respond-async, keep-result=60',
}

/** Header of requests that are to be jobs. */
export const WEBHOOK = {
  name: 'tessera-webhook',
  in: 'header',
  description:
    'An https address that is sent a signed webhook (Standard Webhooks) when the job is over; only of a request that is a job.',
  schema: { type: 'string', format: 'uri', maxLength: 2048 },
}

/** Header of the routes that are charged. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The same key with the same body is charged once a day, and joins a request that runs; answers are not kept.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
