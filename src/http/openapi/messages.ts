// The bodies of requests and responses, as operations of the document name them.

const ERRORS = {
  401: 'Missing, unknown or expired API key.',
  402: 'Free tokens and prepaid balance do not cover the request. Free tokens are for decisions.',
  403: 'The API key lacks the scope that the message names, or may not use the model.',
  404: 'No model of this name is installed.',
  400: 'The Idempotency-Key is malformed.',
  409: 'The Idempotency-Key was used for another request.',
  413: 'The body is larger than this server takes.',
  415: 'The body is not of a type that the path takes.',
  422: 'The body does not fit the format; the message names the field.',
  429: 'Too many requests for the key, or too many at once; retry with backoff.',
  503: 'The store of balances is away; no work was begun; retry with backoff.',
  529: 'Service busy; retry with backoff.',
} as const

export type Status = keyof typeof ERRORS

const BACKOFF_HEADERS = {
  'retry-after': { description: 'Seconds to wait, at least 1.', schema: { type: 'integer', minimum: 1 } },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } },
}

export const REQUEST_ID = {
  'x-request-id': { description: 'Different on every response.', schema: { type: 'string' } },
}

function reference(schema: string) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

export function body(schema: string) {
  return { required: true, content: reference(schema) }
}

export function answer(description: string, schema: string) {
  return { description, headers: REQUEST_ID, content: reference(schema) }
}

/** OpenAI's clients send files; the fields are those of the JSON body. */
export function withForm({ required, content }: ReturnType<typeof body>) {
  const properties = {
    image: { type: 'string', format: 'binary' },
    'image[]': { type: 'array', items: { type: 'string', format: 'binary' } },
    prompt: { type: 'string' },
  }
  return {
    required,
    content: { ...content, 'multipart/form-data': { schema: { type: 'object', required: ['prompt'], properties } } },
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
      const backoff = status === 429 || status === 503 || status === 529 ? BACKOFF_HEADERS : {}
      return [status, { ...answer(ERRORS[status], 'Error'), headers: { ...REQUEST_ID, ...backoff } }]
    }),
  )
}

/** Header of the routes that are charged. */
export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'The same key with the same body is charged once a day, and joins a request that runs; answers are not kept.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
