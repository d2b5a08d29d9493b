import { describe, expect, it } from 'vitest'
import {
  AbortedError,
  AuthenticationError,
  BackendUnavailableError,
  EngineDisposedError,
  InsufficientQuotaError,
  InternalError,
  InvalidRequestError,
  ModelFormatError,
  ModelNotFoundError,
  OverloadedError,
  RateLimitError,
  WorkerCrashedError,
} from '../errors/index.ts'
import { createErrorResponse } from './error-response.ts'
import { Refusal } from './refusal.ts'

const invalid = new InvalidRequestError(
  'questions.q.2.criteria',
  'a choice needs 2 to 26 options, got 27; maxOptions (--max-options) allows more',
  {
    loc: ['questions', 'q.2', 'criteria'],
  },
)

describe('the body of an error', () => {
  it('names the field of an invalid request in three ways', async () => {
    const response = createErrorResponse(invalid, 'systemone')
    expect(response.status).toBe(422)
    expect(await response.text()).toBe(
      JSON.stringify({
        message:
          'questions.q.2.criteria: a choice needs 2 to 26 options, got 27; maxOptions (--max-options) allows more',
        error_type: 'invalid_request',
        detail: [
          {
            loc: ['body', 'questions', 'q.2', 'criteria'],
            msg: 'a choice needs 2 to 26 options, got 27; maxOptions (--max-options) allows more',
            type: 'value_error',
          },
        ],
      }),
    )
  })

  it('is the union of what clients read', async () => {
    const message = 'the API key is missing or unknown; send it as "Authorization: Bearer <key>"'
    expect(await createErrorResponse(new AuthenticationError(), 'systemone').json()).toEqual({
      message,
      error_type: 'authentication_error',
      detail: { error_type: 'authentication_error', message },
    })
  })

  it('has the object that OpenAI clients read on their routes', async () => {
    const error = new InvalidRequestError('questions.1.choices', 'must not have the same value twice')
    expect(await createErrorResponse(error, 'openai').json()).toMatchObject({
      message: error.message,
      error: {
        message: error.message,
        type: 'invalid_request_error',
        param: 'questions[1].choices',
        code: 'invalid_request',
      },
    })
    expect(await createErrorResponse(new InsufficientQuotaError(), 'openai').json()).toMatchObject({
      error: { type: 'insufficient_quota', param: null, code: 'insufficient_quota' },
    })
    const whole = new InvalidRequestError('body', 'must be valid JSON', { loc: [] })
    expect(await createErrorResponse(whole, 'openai').json()).toMatchObject({
      error: { param: null },
      detail: [{ loc: ['body'] }],
    })
  })

  it('says nothing of the machine', async () => {
    const errors = [
      new ModelNotFoundError('a/b', ['/home/SECRET/cache'], 'hf download a/b'),
      new ModelFormatError('/SECRET/config.json', 'x', 'y'),
      new BackendUnavailableError('cuda', 'SECRET', 'SECRET'),
      new WorkerCrashedError('SECRET'),
      new InternalError('SECRET'),
      new EngineDisposedError('SECRET'),
    ]
    for (const error of errors) expect(await createErrorResponse(error, 'openai').text()).not.toContain('SECRET')
  })
})

describe('the headers of an error', () => {
  const headersOf = (error: Parameters<typeof createErrorResponse>[0]) =>
    Object.fromEntries(createErrorResponse(error, 'systemone').headers)

  it.each([
    [0, '0', '1'],
    [1, '1', '1'],
    [999.5, '1000', '1'],
    [1001, '1001', '2'],
    [undefined, '1000', '1'],
  ])('say to wait %s ms', (retryAfterMs, milliseconds, seconds) => {
    const settings = retryAfterMs === undefined ? {} : { retryAfterMs }
    for (const error of [new RateLimitError(undefined, settings), new OverloadedError(undefined, settings)]) {
      expect(headersOf(error)).toMatchObject({ 'retry-after-ms': milliseconds, 'retry-after': seconds })
      expect(headersOf(error)).not.toHaveProperty('x-should-retry')
    }
  })

  it('say not to retry what will fail again', () => {
    const hopeless = [
      invalid,
      new AuthenticationError(),
      new InsufficientQuotaError(),
      new AbortedError(),
      new InternalError(),
      new ModelFormatError('a', 'b', 'c'),
      new ModelNotFoundError('a', [], 'b'),
      new Refusal(413, 'invalid_request', 'x'),
    ]
    for (const error of hopeless) {
      expect(headersOf(error)).toMatchObject({ 'x-should-retry': 'false', 'content-type': 'application/json' })
      expect(headersOf(error)).not.toHaveProperty('retry-after')
    }
    expect(headersOf(new WorkerCrashedError('x'))).not.toHaveProperty('x-should-retry')
  })

  it('say how to authenticate', () => {
    expect(headersOf(new AuthenticationError())).toHaveProperty('www-authenticate', 'Bearer')
  })
})
