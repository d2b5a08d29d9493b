import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as errors from './index.ts'
import {
  AbortedError,
  AuthenticationError,
  BackendUnavailableError,
  DownloadFailedError,
  EngineDisposedError,
  ERROR_TABLE,
  type ErrorCode,
  errorFromJSON,
  InsufficientMemoryError,
  InsufficientQuotaError,
  InternalError,
  InvalidRequestError,
  ModelFormatError,
  ModelNotFoundError,
  OverloadedError,
  PermissionError,
  RateLimitError,
  StoreUnavailableError,
  TesseraError,
  toTesseraError,
  WorkerCrashedError,
} from './index.ts'

const cause = new TypeError('underneath')
const examples: Record<ErrorCode, TesseraError> = {
  invalid_request: new InvalidRequestError('questions.q.2.criteria', 'needs at least 2 options', {
    cause,
    loc: ['questions', 'q.2', 'criteria'],
  }),
  authentication_error: new AuthenticationError(undefined, { cause }),
  permission_error: new PermissionError(undefined, { cause }),
  insufficient_quota: new InsufficientQuotaError('used up', { cause }),
  rate_limit_error: new RateLimitError(undefined, { cause, retryAfterMs: 250 }),
  overloaded: new OverloadedError('full', { cause, retryAfterMs: 10 }),
  store_unavailable: new StoreUnavailableError(undefined, { cause, retryAfterMs: 1000 }),
  aborted: new AbortedError(undefined, { cause }),
  backend_unavailable: new BackendUnavailableError('cuda', 'no device', "Use backend: 'cpu'", { cause }),
  model_not_found: new ModelNotFoundError('decide-latest', ['models/a', 'cache/b'], 'tessera pull a', { cause }),
  model_format: new ModelFormatError('config.json', 'hidden_size: number', 'nothing', { cause }),
  insufficient_memory: new InsufficientMemoryError('it needs 8 GB', 'Quantise it', {
    cause,
    needed: 8e9,
    available: 6e9,
  }),
  download_failed: new DownloadFailedError('owner/name', 'the hub answered 503', { cause }),
  engine_disposed: new EngineDisposedError(undefined, { cause }),
  worker_crashed: new WorkerCrashedError('exit code 134', { cause }),
  internal_error: new InternalError(undefined, { cause }),
}
const codes = Object.keys(ERROR_TABLE) as ErrorCode[]

it('have no members that say nothing, which loggers would print', () => {
  const bare = [
    new EngineDisposedError(),
    new RateLimitError(),
    new OverloadedError(),
    new StoreUnavailableError(),
    new InsufficientMemoryError('there is none', 'Close programs'),
  ]
  const named = ['code', 'errorType', 'reason', 'remedy', 'retryable', 'status']
  for (const error of bare) expect(named).toEqual(expect.arrayContaining(Object.keys(error)))
  expect(bare.filter((error) => 'path' in error)).toEqual([])
})

describe('error table', () => {
  it('is listed row by row in docs/errors.md', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const expected = codes.map((code) => {
      const { name, status, errorType, retryable, meaning } = ERROR_TABLE[code]
      return `| \`${code}\` | \`${name}\` | ${status} | \`${errorType}\` | ${retryable ? 'yes' : 'no'} | ${meaning} |`
    })
    expect(rows).toEqual(expected)
  })

  it('has an exported class of the listed name for every code', () => {
    const exported: Record<string, unknown> = { ...errors }
    for (const code of codes) expect(exported[ERROR_TABLE[code].name]).toHaveProperty('code', code)
  })

  it('gives no retried status to a request that can never succeed', () => {
    for (const code of ['invalid_request', 'authentication_error', 'insufficient_quota', 'model_not_found'] as const) {
      expect([408, 429]).not.toContain(ERROR_TABLE[code].status)
      expect(ERROR_TABLE[code].status).toBeLessThan(500)
    }
  })
})

describe.each(codes)('%s', (code) => {
  const error = examples[code]

  it('takes status, error type and retryable from the table', () => {
    const { name, status, errorType, retryable } = ERROR_TABLE[code]
    expect(error).toMatchObject({ code, status, errorType, retryable })
    expect(error.name).toBe(code === 'aborted' ? 'AbortError' : name)
    expect(error.constructor.name).toBe(name)
  })

  it('comes back from JSON as the same class with the same fields', () => {
    const back = errorFromJSON(JSON.parse(JSON.stringify(error)))
    expect(back.constructor).toBe(error.constructor)
    expect(back.details()).toEqual(error.details())
    expect(back.message).toBe(error.message)
    expect(back.stack).toBe(error.stack)
    expect(back.path).toBe(error.path)
    expect(back.cause).toMatchObject({ name: 'TypeError', message: 'underneath', stack: cause.stack })
  })

  it('is recognised by its own class and by the base only', () => {
    const classes = Object.values(examples).map((example) => example.constructor as typeof InternalError)
    expect(classes.filter((type) => type.isInstance(error))).toEqual([error.constructor])
    expect(TesseraError.isInstance(error)).toBe(true)
  })
})

describe('AbortedError', () => {
  it('has the name that programs know aborts by, also from another thread', () => {
    const error: AbortedError = new AbortedError(undefined, { cause })
    const name: 'AbortError' = error.name
    expect(name).toBe('AbortError')
    expect(errorFromJSON(structuredClone(error.toJSON()))).toMatchObject({ name: 'AbortError', code: 'aborted' })
    expect(String(error)).toBe('AbortError: the call was aborted by its signal')
  })
})

describe('InvalidRequestError', () => {
  it('starts its message with the path and keeps the exact names apart', () => {
    const error = new InvalidRequestError('questions.q.2.type', 'is required', { loc: ['questions', 'q.2', 'type'] })
    expect(error.message).toBe('questions.q.2.type: is required')
    expect(error.loc).toEqual(['questions', 'q.2', 'type'])
    expect(new InvalidRequestError('questions.q', 'x').loc).toEqual(['questions', 'q'])
  })
})

describe('TesseraError.isInstance', () => {
  it('holds for an error of another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { [Symbol.for('tessera.error')]: 'overloaded' })
    expect(TesseraError.isInstance(foreign)).toBe(true)
    expect(OverloadedError.isInstance(foreign)).toBe(true)
    expect(RateLimitError.isInstance(foreign)).toBe(false)
  })

  it('asks for the class itself on one that an app has made', () => {
    class OutOfStock extends TesseraError {
      constructor() {
        super('internal_error', 'none left')
      }
    }
    class MissingField extends InvalidRequestError {}
    expect(OutOfStock.isInstance(new OutOfStock())).toBe(true)
    expect(TesseraError.isInstance(new OutOfStock())).toBe(true)
    expect(OutOfStock.isInstance(new RateLimitError())).toBe(false)
    expect(MissingField.isInstance(new MissingField('a', 'is required'))).toBe(true)
    expect(MissingField.isInstance(new InvalidRequestError('a', 'is required'))).toBe(false)
    expect(InvalidRequestError.isInstance(new MissingField('a', 'is required'))).toBe(true)
  })

  it.each([null, undefined, 'x', 5, {}, new Error('x')])('does not hold for %s', (value) => {
    expect(TesseraError.isInstance(value)).toBe(false)
  })
})

describe('errors across threads', () => {
  it('survive the structured clone that messages between threads are made with', () => {
    const back = errorFromJSON(structuredClone(examples.model_not_found.toJSON()))
    expect(back).toMatchObject({ model: 'decide-latest', tried: ['models/a', 'cache/b'] })
  })

  it('keep a chain of causes, also one that loops', () => {
    const inner = new ModelFormatError('a', 'b', 'c')
    expect(errorFromJSON(new InternalError('x', { cause: inner }).toJSON()).cause).toBeInstanceOf(ModelFormatError)
    const loop = new Error('loop')
    loop.cause = loop
    expect(() => JSON.stringify(new InternalError('x', { cause: loop }))).not.toThrow()
  })

  it.each([null, 'x', {}, { code: 'toString', message: 'x' }, { code: 'of_a_later_version', message: 'x' }])(
    'give an InternalError for %j',
    (json) => {
      expect(errorFromJSON(json)).toBeInstanceOf(InternalError)
    },
  )
})

it('keeps the sentence of a document without details, as the command line prints one', () => {
  const error = errorFromJSON({ code: 'invalid_request', message: 'q: is not known', path: 'q', retryable: false })
  expect([error.code, error.message]).toEqual(['internal_error', 'q: is not known'])
})

describe('toTesseraError', () => {
  it('leaves own errors alone and wraps the rest', () => {
    expect(toTesseraError(examples.aborted)).toBe(examples.aborted)
    expect(toTesseraError(cause)).toMatchObject({ code: 'internal_error', cause })
    for (const message of [
      'std::bad_alloc',
      'Array buffer allocation failed',
      'Failed to allocate memory for requested buffer of size 8',
    ]) {
      expect(toTesseraError(new Error(message))).toMatchObject({ code: 'insufficient_memory', cause: { message } })
    }
    expect(toTesseraError('text')).toMatchObject({ code: 'internal_error', cause: 'text' })
  })

  it('never writes a thrown string, which may be content, into the JSON', () => {
    expect(JSON.stringify(toTesseraError('SECRET'))).not.toContain('SECRET')
  })
})
