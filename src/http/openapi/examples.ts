// Requests and answers of the document. A test checks each against its schema, and sends the requests.

import { ADMIN_EXAMPLES } from './admin-examples.ts'

const QUESTIONS = {
  team: {
    type: 'choice',
    instructions: 'Who should handle it?',
    criteria: { billing: 'Invoices and payments', tech: 'Errors and crashes' },
  },
  urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
}

/** The first bytes of a PNG. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAIAAAACACAIAAABMXPac'

const JOB = {
  id: 'job_4bf92f3577b34da6a3ce929d0e0e4736',
  object: 'job',
  status: 'running',
  path: '/v1/images/generations',
  created_at: 1795449600,
  started_at: 1795449601,
  progress: { stage: 'denoising', done: 3, total: 4 },
}

export const EXAMPLES = {
  DecisionRequest: { state: 'I was charged twice and want my money back.', questions: QUESTIONS },
  DecisionResponse: {
    model: 'decide-mini',
    answers: {
      team: {
        type: 'choice',
        choice: 'billing',
        probabilities: { billing: 0.96, tech: 0.04 },
        confidence: 0.76,
      },
      urgent: { type: 'noul', noul: 0.7 },
    },
    usage: { input_tokens: 72, output_tokens: 0 },
    latency_ms: 12,
  },
  OpenAiDecisionRequest: {
    input: 'I was charged twice and want my money back.',
    questions: [
      {
        type: 'choice',
        name: 'team',
        instructions: 'Who should handle it?',
        choices: [{ value: 'billing', description: 'Invoices and payments' }, { value: 'tech' }],
      },
      { type: 'predicate', name: 'urgent', instructions: 'Does this need an answer today?' },
    ],
  },
  OpenAiDecisionResponse: {
    model: 'decide-mini',
    answers: [
      {
        type: 'choice',
        name: 'team',
        choice: 'billing',
        confidence: 0.76,
        probabilities: [
          { value: 'billing', probability: 0.96 },
          { value: 'tech', probability: 0.04 },
        ],
      },
      { type: 'predicate', name: 'urgent', probability: 0.7 },
    ],
    usage: {
      input_tokens: 72,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 72,
    },
  },
  ImageGenerationRequest: { prompt: 'an apple on a blue background', size: '256x256', seed: 7, n: 1 },
  ImageEditRequest: { prompt: 'change the background to yellow', image: PICTURE },
  ImageResponse: { created: 1795449600, data: [{ b64_json: PICTURE }] },
  Job: JOB,
  JobList: { object: 'list', data: [JOB] },
  BatchLine: { custom_id: 'ticket-1', state: 'I was charged twice and want my money back.', questions: QUESTIONS },
  BatchResult: {
    custom_id: 'ticket-2',
    line: 2,
    error: {
      status: 422,
      message: 'questions.team.criteria: needs 2 to 26 options, got 1',
      error_type: 'invalid_request',
      detail: [
        {
          loc: ['body', 'questions', 'team', 'criteria'],
          msg: 'needs 2 to 26 options, got 1',
          type: 'value_error',
        },
      ],
    },
  },
  WebhookSecret: { object: 'webhook_secret', secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr'] },
  Model: { id: 'decide-latest', object: 'model', created: 1795219200, owned_by: 'tessera' },
  ModelList: {
    object: 'list',
    data: [{ id: 'decide-latest', object: 'model', created: 1795219200, owned_by: 'tessera' }],
    models: [{ name: 'decide-latest', description: 'answered by decide-mini', release_date: '2026-11-21' }],
  },
  Usage: {
    account: 'shop',
    today: '2026-11-30',
    free_tokens: { given: 1_000_000, left: 999_928 },
    prepaid: { given: '25', left: '25' },
    months: [{ month: '2026-11', endpoint: 'decisions', requests: 1, input_tokens: 72, images: 0, cost: '0' }],
    days: [{ day: '2026-11-30', endpoint: 'decisions', requests: 1, input_tokens: 72, images: 0, cost: '0' }],
    recent: [
      {
        time: '2026-11-30T10:00:00.000Z',
        request_id: 'req_4bf92f3577b34da6a3ce929d0e0e4736',
        route: '/v1/systemone',
        status: 200,
        milliseconds: 13,
        units: 72,
      },
    ],
  },
  ServerStatus: { status: 'ok' },
  ...ADMIN_EXAMPLES,
} as const
