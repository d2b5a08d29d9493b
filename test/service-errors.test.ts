import { expect, it } from 'vitest'
import { createServer, type ServerOptions } from '../src/http/index.ts'
import { bearer, BODY, IMAGE_BODIES, post } from '../src/http/test-support/requests.ts'
import { createStubEngine } from '../src/http/test-support/stub-engine.ts'
import { OverloadedError } from '../src/index.ts'

const OPENAI_BODY = { input: 'x', questions: [{ type: 'predicate', instructions: 'Is it urgent?' }] }
const key = { key: 'k', id: 'k' }

interface Row {
  readonly status: number
  readonly type: string
  readonly message: string
  /** The same for pictures, where they have one of their own. */
  readonly imageMessage?: string
  readonly options?: Omit<ServerOptions, 'engine'>
  readonly headers?: Record<string, string>
  readonly body?: object
  readonly failure?: Error
  /** Requests sent before the one that is looked at. */
  readonly before?: number
  readonly also: Record<string, string>
}

/** Section 7 of the specification, row by row. */
const rows: readonly Row[] = [
  {
    status: 401,
    type: 'authentication_error',
    headers: bearer('unknown'),
    options: { keys: [key] },
    message: 'the API key is missing or unknown; send it as \\"Authorization: Bearer <key>\\"',
    also: { 'www-authenticate': 'Bearer', 'x-should-retry': 'false' },
  },
  {
    status: 402,
    type: 'insufficient_quota',
    options: { keys: [{ ...key, freeTokens: 1 }] },
    message: 'the token allowance of this API key is used up',
    imageMessage: 'the prepaid balance of this API key does not cover the images',
    also: { 'x-should-retry': 'false' },
  },
  {
    status: 429,
    type: 'rate_limit_error',
    options: { keys: [key], limits: { requestsPerMinute: 1 } },
    before: 1,
    message: 'too many requests for this API key: at most 1 a minute; retry later',
    also: { 'retry-after': '60' },
  },
  {
    status: 529,
    type: 'overloaded',
    failure: new OverloadedError(),
    message: 'the queue of the engine is full (`maxQueue`); retry with backoff',
    also: { 'retry-after': '1', 'retry-after-ms': '1000' },
  },
]

const routes: readonly (readonly [string, object])[] = [
  ['/v1/systemone', BODY],
  ['/v1/decisions', OPENAI_BODY],
  ...IMAGE_BODIES,
]

it.each(rows.flatMap((row) => routes.map(([path, body]) => [path, row, body] as const)))(
  '%s answers %o to the byte',
  async (path, row, body) => {
    const { status, type, options = {}, headers = bearer('k'), failure, before = 0, also } = row
    const message = (path.startsWith('/v1/images/') ? row.imageMessage : undefined) ?? row.message
    const stub = createStubEngine()
    stub.failure = failure
    const { fetch } = createServer({ engine: stub.engine, ...options })
    const send = () => fetch(post(body, { path, headers }))
    for (let i = 0; i < before; i++) await send()
    const response = await send()
    const openai = `,"error":{"message":"${message}","type":"${type}","param":null,"code":"${type}"}`
    expect(response.status).toBe(status)
    expect(await response.text()).toBe(
      `{"message":"${message}","error_type":"${type}",` +
        `"detail":{"error_type":"${type}","message":"${message}"}${path === '/v1/systemone' ? '' : openai}}`,
    )
    expect(Object.fromEntries(response.headers)).toMatchObject(also)
  },
)

it('answers 422 to the byte', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })
  const questions = { team: { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments' } } }
  const reason = 'a choice needs 2 to 26 options, got 1'
  expect(await (await fetch(post({ state: 'x', questions }))).text()).toBe(
    `{"message":"questions.team.criteria: ${reason}",` +
      '"error_type":"invalid_request","detail":[{"loc":["body","questions","team","criteria"],' +
      `"msg":"${reason}","type":"value_error"}]}`,
  )
})

it('answers 422 about a picture to the byte', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })
  const reason = 'must be an array of 1 to 10 images, got 0'
  expect(await (await fetch(post({ prompt: 'x', images: [] }, { path: '/v1/images/edits' }))).text()).toBe(
    `{"message":"images: ${reason}","error_type":"invalid_request",` +
      `"detail":[{"loc":["body","images"],"msg":"${reason}","type":"value_error"}],` +
      `"error":{"message":"images: ${reason}","type":"invalid_request_error","param":"images",` +
      '"code":"invalid_request"}}',
  )
})
