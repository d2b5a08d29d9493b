import { describe, expect, it, vi } from 'vitest'
import { createServer } from '../../src/http/index.ts'
import { bearer, BODY, get, json, post as postTo } from '../../src/http/test-support/requests.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { OverloadedError } from '../../src/index.ts'
import { ask, KEY, NOUL, useService } from './wire.ts'

const { send, post, get: fetchPath } = await useService()

describe('transport', () => {
  it('S1 S2: a valid request is answered with 200 and JSON', async () => {
    const { status, headers, body } = await post(ask(NOUL))
    expect([status, headers.get('content-type'), body.answers.q?.type]).toEqual([200, 'application/json', 'noul'])
  })

  it.each([
    ['S2: 401', () => send('/v1/systemone', { method: 'POST' }), 401],
    ['S2 S3: 404', () => send('/v1/nope', { method: 'POST', body: '{}' }), 404],
    ['S3: 405', () => fetchPath('/v1/systemone'), 405],
    ['S2: 422', () => post({}), 422],
    ['S4: a trailing slash, which is no redirect', () => send('/v1/systemone/', { method: 'POST', body: '{}' }), 404],
  ])('%s has the JSON error body', async (_, request, status) => {
    const reply = await request()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(reply.body).toMatchObject({
      message: expect.any(String),
      error_type: expect.any(String),
      detail: expect.anything(),
    })
  })

  it('S5: every response has an id of its own', async () => {
    const replies = [await post(ask(NOUL)), await post(ask(NOUL)), await post({}), await send('/v1/nope', {})]
    const ids = replies.map(({ headers }) => headers.get('x-typesafe-request-id'))
    expect(new Set(ids).size).toBe(replies.length)
    expect(replies.map(({ headers }) => headers.get('x-request-id'))).toEqual(ids)
  })

  it('S6 S18: 529 says how long to wait, and the same request is answered later', async () => {
    const stub = createStubEngine()
    const { fetch } = createServer({ engine: stub.engine })
    stub.failure = new OverloadedError()
    const { status, headers } = await fetch(postTo(BODY))
    expect(status).toBe(529)
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(Number(headers.get('retry-after-ms'))).toBeGreaterThanOrEqual(0)
    stub.failure = undefined
    expect((await fetch(postTo(BODY))).status).toBe(200)
  })

  it('S6 S18: 429 says how long to wait, and the same request is answered later', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] })
    const { fetch } = createServer({ engine: createStubEngine().engine, keys: [KEY], limits: { requestsPerMinute: 1 } })
    const request = () => fetch(postTo(BODY, { headers: bearer(KEY) }))
    expect((await request()).status).toBe(200)
    const { status, headers } = await request()
    expect([status, headers.get('retry-after'), headers.get('retry-after-ms')]).toEqual([429, '60', '60000'])
    vi.advanceTimersByTime(60_001)
    expect((await request()).status).toBe(200)
    vi.useRealTimers()
  })

  it('S8: a client that hangs up cancels the work, and the next is answered', async () => {
    const long = post(ask(NOUL, 'x'.repeat(150_000)), { signal: AbortSignal.timeout(100) })
    await expect(long).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await post(ask(NOUL))).status).toBe(200)
    expect((await fetchPath('/metrics')).text).toContain('tessera_http_requests_in_flight 1\n')
  })

  it.each([
    [
      'headers of the SDK',
      { 'x-typesafe-sdk': 'x', 'x-typesafe-runtime': 'x', 'x-typesafe-retry-count': '1', accept: 'text/html' },
    ],
    ['a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ])('S9: %s do no harm', async (_, headers) => {
    expect((await post(ask(NOUL), { headers: headers as Record<string, string> })).status).toBe(200)
  })

  it('S10: requests at the same time get the answers they get alone', async () => {
    const requests = Array.from({ length: 8 }, (_, index) => ask(NOUL, `${index} `.repeat(100 * index)))
    const together = await Promise.all(requests.map((request) => post(request)))
    for (const [index, request] of requests.entries()) {
      expect(together[index]?.body.answers).toEqual((await post(request)).body.answers)
    }
  })
})

describe('authentication and quota', () => {
  it.each([`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER ${KEY}`])('S11: %s is the key', async (authorization) => {
    expect((await post(ask(NOUL), { headers: { authorization } })).status).toBe(200)
  })

  it('S12: without keys any Authorization is as good as none', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine })
    for (const headers of [{}, bearer('x'), { authorization: 'Basic x' }])
      expect((await fetch(postTo(BODY, { headers }))).status).toBe(200)
  })

  it.each([
    ['S13: no header', {}],
    ['S14: a wrong key', bearer('wrong')],
    ['S14: an empty one', { authorization: 'Bearer ' }],
    ['S14: another scheme', { authorization: `Basic ${KEY}` }],
    ['S11: another header', { 'x-api-key': KEY }],
  ])('%s gives 401 before anything is read', async (_, headers) => {
    // S15: the body is broken as well.
    const { status, body } = await send('/v1/systemone', {
      method: 'POST',
      headers: headers as Record<string, string>,
      body: '{',
    })
    expect([status, body.error_type]).toEqual([401, 'authentication_error'])
    expect(body.detail).toEqual({ error_type: body.error_type, message: body.message })
  })

  it('S16: the models need the key too', async () => {
    expect((await send('/v1/models', {})).status).toBe(401)
  })

  it('S17: a quota that is used up gives 402 without Retry-After', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine, keys: [{ key: KEY, freeTokens: 1 }] })
    const response = await fetch(postTo(BODY, { headers: bearer(KEY) }))
    expect([response.status, response.headers.get('retry-after')]).toEqual([402, null])
    expect(await json(response)).toMatchObject({ error_type: 'insufficient_quota' })
  })

  it('S19: no error shows the key, the state or a stack', async () => {
    const state = 'STATE-CANARY'
    const replies = [
      await post({ state, questions: { q: { ...NOUL, type: 'STATE-CANARY' } } }),
      await post(`{"state":"${state}`),
      await post(ask({ ...NOUL, min_confidence: state }, state)),
      await post({ ...ask(NOUL, state), model: 'nobody/no-such-model' }),
      await send(`/v1/${state}`, { headers: bearer('KEY-CANARY') }),
      await send('/v1/models', { headers: bearer('KEY-CANARY') }),
    ]
    for (const { status, text } of replies) {
      expect(status).toBeGreaterThanOrEqual(400)
      expect(text).not.toMatch(/CANARY|\.ts:|node_modules| at /)
    }
  })
})

describe('models', () => {
  it('S90 S91 S92: are listed for both kinds of clients, and every one answers', async () => {
    const list = JSON.parse((await fetchPath('/v1/models')).text) as {
      object: string
      models: { name: string; description: string; release_date: string }[]
      data: unknown[]
    }
    expect(list.models.map(({ name }) => name)).toContain('jev-latest')
    expect(list.object).toBe('list')
    for (const { name, ...rest } of list.models) {
      expect(rest).toEqual({
        description: expect.any(String),
        release_date: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
      })
      expect(list.data).toContainEqual({
        id: name,
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
      })
      expect((await post({ ...ask(NOUL), model: name })).body.model).toBe('tiny')
    }
  })

  it('S92: are found one by one, by the names of the list alone', async () => {
    const server = createServer({ engine: createStubEngine().engine })
    const ask = async (path: string) => (await server.fetch(get(path))).status
    expect(await ask('/v1/models/jev-latest')).toBe(200)
    expect(await ask('/v1/models/jev')).toBe(404)
    expect(await ask('/v1/models/jev-latest/versions')).toBe(404)
  })
})
