import type { z } from 'zod'
import { createDecisionRequestSchema } from '../../schemas/decision-request.ts'
import { decisionResponseSchema, errorBodySchema, LIMITS, type RequestLimits } from '../../schemas/index.ts'
import { type JsonSchema, toJsonSchema } from '../../schemas/json-schema.ts'
import { createOpenAiRequestSchema } from '../decisions/openai-request.ts'
import { openAiResponseSchema } from '../decisions/openai-response.ts'
import { editBodySchema } from '../images/edits-route.ts'
import { generationBodySchema } from '../images/generations-route.ts'
import { imageAnswerSchema } from '../images/image-route.ts'
import { modelListSchema } from '../routes/models-route.ts'
import { usageSchema } from '../routes/usage-route.ts'

const ERRORS = {
  401: 'Missing or unknown API key.',
  402: 'Free tokens and prepaid balance do not cover the request. Free tokens are for decisions.',
  404: 'No model of this name is installed.',
  413: 'The body is larger than this server takes.',
  415: 'The body is not of a type that the path takes.',
  422: 'The body does not fit the format; the message names the field.',
  429: 'Too many requests for the key, or too many at once; retry with backoff.',
  529: 'Service busy; retry with backoff.',
} as const

type Status = keyof typeof ERRORS

const BACKOFF_HEADERS = {
  'retry-after': { description: 'Seconds to wait, at least 1.', schema: { type: 'integer', minimum: 1 } },
  'retry-after-ms': { description: 'Milliseconds to wait.', schema: { type: 'integer', minimum: 0 } },
}

const REQUEST_ID = { 'x-request-id': { description: 'Different on every response.', schema: { type: 'string' } } }

/** The OpenAPI 3.1 description of the server, its schemas made from those that requests are checked with. */
export function createOpenApiDocument({ maxOptions = LIMITS.options.max }: RequestLimits = {}) {
  const postErrors: Status[] = [401, 402, 404, 413, 415, 422, 429, 529]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tessera',
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'Images from words, edits of images, and typed decisions with calibrated probabilities.',
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: {
      '/v1/systemone': {
        post: {
          operationId: 'createSystemOneDecision',
          summary: 'Answers 1 to 32 named questions about a state.',
          requestBody: body('DecisionRequest'),
          responses: { 200: answer('One answer per question.', 'DecisionResponse'), ...errors(postErrors) },
        },
      },
      '/v1/decisions': {
        post: {
          operationId: 'createDecision',
          summary: 'The same decisions on the wire of OpenAI clients.',
          requestBody: body('OpenAiDecisionRequest'),
          responses: {
            200: answer('Answers in the order of the questions.', 'OpenAiDecisionResponse'),
            ...errors(postErrors),
          },
        },
      },
      '/v1/images/generations': {
        post: {
          operationId: 'createImage',
          summary: 'Draws up to 4 images from a prompt.',
          requestBody: body('ImageGenerationRequest'),
          responses: { 200: images('image_generation'), ...errors(postErrors) },
        },
      },
      '/v1/images/edits': {
        post: {
          operationId: 'createImageEdit',
          summary: 'Changes an image, or joins several, as the prompt says.',
          requestBody: withForm(body('ImageEditRequest')),
          responses: { 200: images('image_edit'), ...errors(postErrors) },
        },
      },
      '/v1/models': {
        get: {
          operationId: 'listModels',
          summary: 'The model names that a request may give.',
          responses: { 200: answer('For clients of both wires.', 'ModelList'), ...errors([401]) },
        },
      },
      '/v1/usage': {
        get: {
          operationId: 'getUsage',
          summary: 'What the account of the key has used and has left; days and months are those of UTC.',
          responses: { 200: answer('Amounts are exact decimals of EUR.', 'Usage'), ...errors([401]) },
        },
      },
      '/healthz': {
        get: {
          operationId: 'getHealth',
          summary: 'Whether requests are taken.',
          security: [],
          responses: { 200: { description: 'They are.', headers: REQUEST_ID } },
        },
      },
      '/metrics': {
        get: {
          operationId: 'getMetrics',
          summary: 'Counters in the Prometheus text format.',
          responses: {
            200: {
              description: 'Counters.',
              headers: REQUEST_ID,
              content: { 'text/plain': { schema: { type: 'string' } } },
            },
            ...errors([401]),
          },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: {
        DecisionRequest: toJsonSchema(createDecisionRequestSchema(maxOptions)),
        DecisionResponse: toJsonSchema(decisionResponseSchema),
        OpenAiDecisionRequest: toJsonSchema(createOpenAiRequestSchema({ maxOptions })),
        OpenAiDecisionResponse: toJsonSchema(openAiResponseSchema),
        ImageGenerationRequest: withDefaults(toJsonSchema(generationBodySchema)),
        ImageEditRequest: withDefaults(toJsonSchema(editBodySchema)),
        ImageResponse: toJsonSchema(imageAnswerSchema),
        ModelList: toJsonSchema(modelListSchema),
        Usage: toJsonSchema(usageSchema),
        Error: toJsonSchema(errorBodySchema as z.ZodType),
      },
    },
  }
}

const NULL = { type: 'null' }

function takesNull(property: unknown): boolean {
  return JSON.stringify(property).includes(JSON.stringify(NULL))
}

/** What image routes drop before they look at a body (`dropDefaults`): null, and a size of `auto`. */
function withDefaults(schema: JsonSchema): JsonSchema {
  const { properties, required = [], allOf } = schema
  return {
    ...schema,
    ...(allOf && { allOf: allOf.map((part) => withDefaults(part as JsonSchema)) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          required.includes(name) || takesNull(property)
            ? property
            : { anyOf: [property, ...(name === 'size' ? [{ const: 'auto' }] : []), NULL] },
        ]),
      ),
    }),
  } as JsonSchema
}

function reference(schema: string) {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } }
}

function body(schema: string) {
  return { required: true, content: reference(schema) }
}

function answer(description: string, schema: string) {
  return { description, headers: REQUEST_ID, content: reference(schema) }
}

/** OpenAI's clients send files; the fields are those of the JSON body. */
function withForm({ required, content }: ReturnType<typeof body>) {
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

function images(event: string) {
  const { content, ...response } = answer(
    'The images as base64-encoded PNG; with `stream: true` as events.',
    'ImageResponse',
  )
  const description = `Comments that tell of progress, one \`${event}.completed\` event for each image, or an \`error\` event.`
  return { ...response, content: { ...content, 'text/event-stream': { schema: { type: 'string', description } } } }
}

function errors(statuses: readonly Status[]) {
  return Object.fromEntries(
    statuses.map((status) => {
      const backoff = status === 429 || status === 529 ? BACKOFF_HEADERS : {}
      return [status, { ...answer(ERRORS[status], 'Error'), headers: { ...REQUEST_ID, ...backoff } }]
    }),
  )
}
