import { ADMIN_PATHS } from './admin-paths.ts'
import { BATCH_PATHS } from './batch-paths.ts'
import { JOB_PATHS } from './job-paths.ts'
import {
  accepted,
  answer,
  body,
  errors,
  IDEMPOTENCY_KEY,
  images,
  PREFER,
  REQUEST_ID,
  type Status,
  WEBHOOK,
  withForm,
} from './messages.ts'
import { limited } from './rate-limit-headers.ts'

/** Of every path. */
const ERRORS: readonly Status[] = [400, 405, 431, 500]
const KEY_ERRORS: readonly Status[] = [...ERRORS, 401, 421, 503, 529]
const POST_ERRORS: readonly Status[] = [...KEY_ERRORS, 402, 403, 404, 408, 409, 413, 415, 422, 429, 507]

const worked = (response: object) => ({ 200: response, 202: accepted(), ...errors(POST_ERRORS) })
const decided = (response: object) => limited(worked(response), ['requests', 'tokens'])
const drawn = (event: string) => limited(worked(images(event)), ['requests'])

const DECISIONS = {
  '/v1/systemone': {
    post: {
      operationId: 'createSystemOneDecision',
      tags: ['decisions'],
      summary: 'Answers 1 to 32 named questions about a state.',
      parameters: [IDEMPOTENCY_KEY, PREFER, WEBHOOK],
      requestBody: body('DecisionRequest'),
      responses: decided(answer('One answer per question.', 'DecisionResponse')),
    },
  },
  '/v1/decisions': {
    post: {
      operationId: 'createDecision',
      tags: ['decisions'],
      summary: 'The same decisions on the wire of OpenAI clients.',
      parameters: [IDEMPOTENCY_KEY, PREFER, WEBHOOK],
      requestBody: body('OpenAiDecisionRequest'),
      responses: decided(answer('Answers in the order of the questions.', 'OpenAiDecisionResponse')),
    },
  },
}

const IMAGES = {
  '/v1/images/generations': {
    post: {
      operationId: 'createImage',
      tags: ['images'],
      summary: 'Draws up to 4 images from a prompt.',
      parameters: [IDEMPOTENCY_KEY, PREFER, WEBHOOK],
      requestBody: body('ImageGenerationRequest'),
      responses: drawn('image_generation'),
    },
  },
  '/v1/images/edits': {
    post: {
      operationId: 'createImageEdit',
      tags: ['images'],
      summary: 'Changes an image, or joins several, as the prompt says.',
      parameters: [IDEMPOTENCY_KEY, PREFER, WEBHOOK],
      requestBody: withForm(body('ImageEditRequest')),
      responses: drawn('image_edit'),
    },
  },
}

const ACCOUNT = {
  '/v1/models': {
    get: {
      operationId: 'listModels',
      tags: ['account'],
      summary: 'The model names that a request may give.',
      responses: { 200: answer('For clients of both wires.', 'ModelList'), ...errors(KEY_ERRORS) },
    },
  },
  '/v1/models/{id}': {
    get: {
      operationId: 'getModel',
      tags: ['account'],
      summary: 'One of the names that a request may give.',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      responses: { 200: answer('It is installed.', 'Model'), ...errors([...KEY_ERRORS, 403, 404]) },
    },
  },
  '/v1/usage': {
    get: {
      operationId: 'getUsage',
      tags: ['account'],
      summary: 'What the account of the key has used and has left; days and months are those of UTC.',
      responses: { 200: answer('Amounts are exact decimals of EUR.', 'Usage'), ...errors(KEY_ERRORS) },
    },
  },
}

const SERVER = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      tags: ['server'],
      summary: 'Whether requests are taken.',
      security: [],
      responses: { 200: answer('They are.', 'ServerStatus'), ...errors([...ERRORS, 529]) },
    },
  },
  '/livez': {
    get: {
      operationId: 'getLiveness',
      tags: ['server'],
      summary: 'Whether the process answers, also while it ends.',
      security: [],
      responses: { 200: answer('It does.', 'ServerStatus'), ...errors(ERRORS) },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      tags: ['server'],
      summary: 'Whether new requests should be sent here.',
      security: [],
      responses: {
        ...errors(ERRORS),
        200: answer('They should.', 'ServerStatus', { status: 'ready' }),
        503: answer('Not now: `missing` says why.', 'ServerStatus', { status: 'unavailable', missing: ['models'] }),
      },
    },
  },
  '/metrics': {
    get: {
      operationId: 'getMetrics',
      tags: ['server'],
      summary: 'Counters in the Prometheus text format.',
      responses: {
        200: {
          description: 'Counters.',
          headers: REQUEST_ID,
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        ...errors([...KEY_ERRORS, 403]),
      },
    },
  },
}

/** Every path of the server with its operations. */
export const PATHS = { ...DECISIONS, ...IMAGES, ...JOB_PATHS, ...BATCH_PATHS, ...ACCOUNT, ...ADMIN_PATHS, ...SERVER }
