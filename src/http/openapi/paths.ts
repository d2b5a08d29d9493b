import { answer, body, errors, IDEMPOTENCY_KEY, images, REQUEST_ID, type Status, withForm } from './messages.ts'

const POST_ERRORS: readonly Status[] = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 503, 529]

const DECISIONS = {
  '/v1/systemone': {
    post: {
      operationId: 'createSystemOneDecision',
      summary: 'Answers 1 to 32 named questions about a state.',
      parameters: [IDEMPOTENCY_KEY],
      requestBody: body('DecisionRequest'),
      responses: { 200: answer('One answer per question.', 'DecisionResponse'), ...errors(POST_ERRORS) },
    },
  },
  '/v1/decisions': {
    post: {
      operationId: 'createDecision',
      summary: 'The same decisions on the wire of OpenAI clients.',
      parameters: [IDEMPOTENCY_KEY],
      requestBody: body('OpenAiDecisionRequest'),
      responses: {
        200: answer('Answers in the order of the questions.', 'OpenAiDecisionResponse'),
        ...errors(POST_ERRORS),
      },
    },
  },
}

const IMAGES = {
  '/v1/images/generations': {
    post: {
      operationId: 'createImage',
      summary: 'Draws up to 4 images from a prompt.',
      parameters: [IDEMPOTENCY_KEY],
      requestBody: body('ImageGenerationRequest'),
      responses: { 200: images('image_generation'), ...errors(POST_ERRORS) },
    },
  },
  '/v1/images/edits': {
    post: {
      operationId: 'createImageEdit',
      summary: 'Changes an image, or joins several, as the prompt says.',
      parameters: [IDEMPOTENCY_KEY],
      requestBody: withForm(body('ImageEditRequest')),
      responses: { 200: images('image_edit'), ...errors(POST_ERRORS) },
    },
  },
}

const ACCOUNT = {
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
      responses: { 200: answer('Amounts are exact decimals of EUR.', 'Usage'), ...errors([401, 503]) },
    },
  },
}

const SERVER = {
  '/healthz': {
    get: {
      operationId: 'getHealth',
      summary: 'Whether requests are taken.',
      security: [],
      responses: { 200: { description: 'They are.', headers: REQUEST_ID } },
    },
  },
  '/livez': {
    get: {
      operationId: 'getLiveness',
      summary: 'Whether the process answers, also while it ends.',
      security: [],
      responses: { 200: { description: 'It does.', headers: REQUEST_ID } },
    },
  },
  '/readyz': {
    get: {
      operationId: 'getReadiness',
      summary: 'Whether new requests should be sent here.',
      security: [],
      responses: {
        200: { description: 'They should.', headers: REQUEST_ID },
        503: { description: 'Not now: `missing` names `draining`, `store` or `models`.', headers: REQUEST_ID },
      },
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
        ...errors([401, 403]),
      },
    },
  },
}

/** Every path of the server with its operations. */
export const PATHS = { ...DECISIONS, ...IMAGES, ...ACCOUNT, ...SERVER }
