import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type ServerOptions } from './index.ts'
import { BODY, bearer, get, json, post } from './test-support/requests.ts'
import { createStubEngine, type StubEngine } from './test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})
const serve = (options: Omit<ServerOptions, 'engine'> = {}) => createServer({ engine: stub.engine, ...options })

describe('every response', () => {
  it('has an id of its own under both names', async () => {
    const { fetch } = serve()
    const responses = await Promise.all(
      [
        post(BODY),
        post(BODY),
        post('{'),
        get('/v1/models'),
        get('/nope'),
        get('/v1/systemone'),
        get('/metrics'),
        get('/healthz'),
        get('/openapi.json'),
      ].map(fetch),
    )
    const ids = responses.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).toBe(responses.length)
    for (const { headers } of responses) {
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
      expect(headers.get('x-typesafe-request-id')).toBe(headers.get('x-request-id'))
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  it('to HEAD has the headers of GET and no body', async () => {
    const response = await serve().fetch(get('/healthz', { method: 'HEAD' }))
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe('the limit of options', () => {
  it.each([
    [{}, 422],
    [{ maxOptions: 30 }, 200],
  ])('with %j answers 27 options with %i', async (options, status) => {
    const criteria = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`option ${index}`, null]))
    const body = { state: 'x', questions: { q: { type: 'choice', criteria } } }
    // The engine has a limit of its own: here it takes what the server lets through.
    const answers = { 0: { type: 'choice', choice: 'option 0', probabilities: {}, confidence: 1 } }
    const decide = async () => ({
      object: 'decision',
      model: 'stub',
      answers,
      usage: { input_tokens: 1, output_tokens: 0 },
    })
    const engine = { ...stub.engine, decide } as unknown as ServerOptions['engine']
    const { fetch } = createServer({ engine, ...options })
    expect((await fetch(post(body))).status).toBe(status)
    const choices = Object.keys(criteria).map((value) => ({ value }))
    const openAi = { input: 'x', questions: [{ type: 'choice', instructions: 'Which?', choices }] }
    expect((await fetch(post(openAi, { path: '/v1/decisions' }))).status).toBe(status)
  })

  it('is of two options or more', () => {
    expect(() => serve({ maxOptions: 1 })).toThrow(expect.objectContaining({ path: 'maxOptions' }))
  })
})

describe('routing', () => {
  it.each([
    '/',
    '/v1',
    '/v1/systemone/',
    '/V1/systemone',
    '/v1/systemone/x',
    '/v1//systemone',
    '/v1/nope',
    '/__proto__',
  ])('answers 404 for %s', async (path) => {
    const response = await serve().fetch(post(BODY, { path }))
    expect(response.status).toBe(404)
    expect(await json(response)).toMatchObject({ error_type: 'not_found', message: expect.any(String), detail: {} })
  })

  it.each([
    ['GET', '/v1/systemone', 'POST'],
    ['PUT', '/v1/systemone', 'POST'],
    ['OPTIONS', '/v1/decisions', 'POST'],
    ['HEAD', '/v1/systemone', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ])('answers 405 for %s %s', async (method, path, allow) => {
    const response = await serve({ keys: ['k'] }).fetch(get(path, { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow])
    if (method !== 'HEAD') expect(await json(response)).toMatchObject({ error_type: 'method_not_allowed' })
  })

  it('ignores the query and the host', async () => {
    expect((await serve().fetch(get('/v1/models?a=b#c'))).status).toBe(200)
  })
})

describe('keys', () => {
  it('are asked for before the body is read', async () => {
    const request = post('{broken', { headers: { 'content-type': 'text/plain', ...bearer('wrong') } })
    const response = await serve({ keys: ['right'] }).fetch(request)
    expect(response.status).toBe(401)
    expect(request.bodyUsed).toBe(false)
  })

  it.each(['/v1/models', '/metrics'])('are asked for on %s', async (path) => {
    const { fetch } = serve({ keys: [{ key: 'right', scopes: ['metrics'] }] })
    expect((await fetch(get(path))).status).toBe(401)
    expect((await fetch(get(path, { headers: bearer('right') }))).status).toBe(200)
  })

  it.each(['/healthz', '/openapi.json'])('are not asked for on %s', async (path) => {
    expect((await serve({ keys: ['right'] }).fetch(get(path))).status).toBe(200)
  })

  it('come from the environment where none are given', async () => {
    vi.stubEnv('TESSERA_API_KEYS', 'one,two')
    const { fetch } = serve()
    expect((await fetch(get('/v1/models'))).status).toBe(401)
    expect((await fetch(get('/v1/models', { headers: bearer('two') }))).status).toBe(200)
    vi.unstubAllEnvs()
  })

  it('name the client that the engine is fair to', async () => {
    const { fetch } = serve({
      keys: [
        { key: 'a', id: 'first' },
        { key: 'b', id: 'second' },
      ],
    })
    await fetch(post(BODY, { headers: bearer('a') }))
    await fetch(post(BODY, { headers: bearer('b') }))
    expect(stub.clients).toEqual(['first', 'second'])
  })
})

describe('models', () => {
  it('are listed for both kinds of clients at once, without those that are not installed', async () => {
    const response = await serve().fetch(get('/v1/models'))
    const models = ['decide-latest', 'jev-latest']
    expect(await json(response)).toEqual({
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: expect.any(Number), owned_by: 'tessera' })),
      models: models.map((name) => ({
        name,
        description: 'answered by stub',
        release_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      })),
    })
  })

  it('are given one by one, as clients of OpenAI ask for them', async () => {
    const named = { name: 'owner/name', id: 'owner/name', available: true }
    const engine = { ...stub.engine, models: async () => [named, { ...named, name: 'away', available: false }] }
    const { fetch } = createServer({ engine })
    const ask = (id: string) => fetch(get(`/v1/models/${id}`))
    const model = { object: 'model', created: expect.any(Number), owned_by: 'tessera' }
    expect(await json(serve().fetch(get('/v1/models/jev-latest')))).toEqual({ ...model, id: 'jev-latest' })
    expect(await json(ask('owner%2Fname'))).toEqual({ ...model, id: 'owner/name' })
    for (const id of ['away', 'jev-latest', 'decide-lates', '%', '__proto__']) {
      const response = await ask(id)
      expect([id, response.status]).toEqual([id, 404])
      expect(await json(response)).toMatchObject({ error_type: 'model_not_found', error: { code: 'model_not_found' } })
    }
  })

  it('never show the path of a folder', async () => {
    for (const id of ['/home/SECRET/my-model', 'C:\\SECRET\\my-model', '../SECRET/my-model/']) {
      const engine = { ...stub.engine, models: async () => [{ name: 'decide-latest', id, available: true }] }
      const text = await (await createServer({ engine }).fetch(get('/v1/models'))).text()
      expect(text).toContain('answered by my-model')
      expect(text).not.toContain('SECRET')
    }
  })
})

it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses limits of %s', (value) => {
  for (const name of ['requestsPerMinute', 'concurrency']) {
    const make = () => serve({ limits: { [name]: value } })
    expect(make).toThrow(expect.objectContaining({ path: `limits.${name}` }))
  }
})

it.each([
  [{ engine: undefined }, 'engine: must be an engine'],
  [{ keys: 'abcd' }, /^keys: must be an array of keys, or an object with find\(\)$/],
  [{ limit: {} }, 'limit: is no option of a server; those are engine, keys, limits'],
  [
    { limits: { requestPerMinute: 5 } },
    'limits.requestPerMinute: is no option of `limits`; those are requestsPerMinute',
  ],
  [{ limits: { concurency: 5 } }, 'limits.concurency: is no option of `limits`'],
  [
    { prices: { decision: { amount: '1', per: 1 } } },
    'prices.decision: is no option of `prices`; those are decisions,',
  ],
  [
    { prices: { edits: { amount: '1', pre: 1 } } },
    'prices.edits.per: must be a whole number of 1 or more, got undefined',
  ],
  [{ prices: { edits: { amount: 1, per: 1 } } }, 'prices.edits.amount: must be a decimal number as a string'],
  [{ store: {} }, 'store: must be a store, such as openSqliteStore() opens, got an object'],
  [{ console: 'no' }, "console: must be true or false, got 'no'"],
  [{ log: true }, 'log: must be a function, got true'],
  [{ keys: [{ key: 'a', prepaid: 25 }] }, "keys.0.prepaid: must be an amount such as '25.00', as a string"],
])('refuses the options %j', (options, message) => {
  expect(() => serve(options as never)).toThrow(message)
})

it.each([0, -1, 1.5, Number.NaN])('refuses a body limit of %s', (maxBodyBytes) => {
  expect(() => serve({ maxBodyBytes })).toThrow(/^maxBodyBytes: must be a whole number/)
})
