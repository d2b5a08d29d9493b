import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type KeyConfig } from '../index.ts'
import { bearer, BODY, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

const KEYS: KeyConfig[] = [
  { key: 'plain' },
  { key: 'decider', scopes: ['decide'] },
  { key: 'artist', scopes: ['images'] },
  { key: 'prometheus', scopes: ['metrics'] },
  { key: 'operator', scopes: ['admin'] },
  { key: 'one-model', models: ['decide-latest'] },
]

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})
const open = (keys = KEYS) => createServer({ engine: stub.engine, keys })
const send = (key: string, path: string, body: object = BODY) =>
  open().fetch(post(body, { path, headers: bearer(key) }))
const OPENAI = { input: 'x', questions: [{ type: 'predicate', instructions: 'Is it urgent?' }] }

describe('scopes', () => {
  const calls = {
    decide: () => [['/v1/systemone', BODY] as const, ['/v1/decisions', OPENAI] as const],
    images: () => IMAGE_BODIES,
  }

  it.each([
    ['plain', 'decide', true],
    ['plain', 'images', true],
    ['decider', 'decide', true],
    ['decider', 'images', false],
    ['artist', 'decide', false],
    ['artist', 'images', true],
    ['prometheus', 'decide', false],
    ['operator', 'images', false],
  ] as const)('let the key %s do %s: %s', async (key, scope, allowed) => {
    for (const [path, body] of calls[scope]()) {
      const response = await send(key, path, body)
      expect([path, response.status]).toEqual([path, allowed ? 200 : 403])
      if (allowed) continue
      expect(response.headers.get('x-should-retry')).toBe('false')
      expect(await json(response)).toMatchObject({
        error_type: 'permission_error',
        message: expect.stringMatching(`^this API key lacks the scope '${scope}'; it has `),
      })
    }
    expect(stub.clients).toHaveLength(allowed ? 2 : 0)
  })

  it.each([
    ['plain', 403],
    ['decider', 403],
    ['prometheus', 200],
    ['operator', 200],
  ])('let the key %s read /metrics with %d', async (key, status) => {
    expect((await open().fetch(get('/metrics', { headers: bearer(key) }))).status).toBe(status)
  })

  it('are asked before the body is read', async () => {
    const request = post('{broken', { headers: bearer('artist') })
    expect((await open().fetch(request)).status).toBe(403)
    expect(request.bodyUsed).toBe(false)
  })

  it('mean nothing where there are no keys', async () => {
    const { fetch } = createServer({ engine: stub.engine })
    expect((await fetch(get('/metrics'))).status).toBe(200)
    expect((await fetch(post(BODY))).status).toBe(200)
  })
})

it.each([
  ['/v1/systemone', BODY, 200],
  ['/v1/systemone', { ...BODY, model: 'decide-latest' }, 200],
  ['/v1/systemone', { ...BODY, model: 'other' }, 403],
  ['/v1/images/generations', { prompt: 'x' }, 403],
  ['/v1/images/edits', { prompt: 'x', image: 'aGVsbG8=', model: 'decide-latest' }, 200],
] as const)('a key for one model gets from %s with %j a %d', async (path, body, status) => {
  const response = await send('one-model', path, body)
  expect(response.status).toBe(status)
  if (status === 403) {
    expect(await json(response)).toMatchObject({
      error_type: 'permission_error',
      message: 'model: this API key may use decide-latest only',
    })
    expect([stub.clients, stub.drawn]).toEqual([[], []])
  }
})

it('a key for one model is shown that one', async () => {
  const shown = async (key: string) => {
    const { data } = await json(open().fetch(get('/v1/models', { headers: bearer(key) })))
    return (data as { id: string }[]).map(({ id }) => id)
  }
  expect(await shown('plain')).toEqual(['decide-latest', 'jev-latest'])
  expect(await shown('one-model')).toEqual(['decide-latest'])
})

it.each([
  ['decide-latest', 200],
  ['jev-latest', 403],
  ['nope', 403],
] as const)('a key for one model gets of /v1/models/%s a %d', async (id, status) => {
  expect((await open().fetch(get(`/v1/models/${id}`, { headers: bearer('one-model') }))).status).toBe(status)
})

describe('tokens a minute', () => {
  // The stub counts 24 tokens for the state.
  const limited: KeyConfig[] = [
    { key: 'a', id: 'a', tokensPerMinute: 50 },
    { key: 'b', id: 'b', tokensPerMinute: 10 },
  ]

  it('are counted before the work, and come back with the next minute', async () => {
    vi.useFakeTimers()
    const { fetch, usage } = open(limited)
    const ask = () => fetch(post(BODY, { headers: bearer('a') }))
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect(await json(refused)).toMatchObject({ message: /^too many tokens for this API key: at most 50 a minute/ })
    expect(stub.counts.decided).toBe(2)
    // A shorter one still fits: what was refused is not counted.
    expect((await fetch(post({ ...BODY, state: 'x' }, { headers: bearer('a') }))).status).toBe(200)
    vi.advanceTimersByTime(60_001)
    expect((await ask()).status).toBe(200)
    expect(await usage('a')).toMatchObject([{ requests: 4 }])
    vi.useRealTimers()
  })

  it('that no minute allows are refused with 422, as no retry could help', async () => {
    const response = await open(limited).fetch(post(BODY, { headers: bearer('b') }))
    expect(response.status).toBe(422)
    expect(await json(response)).toMatchObject({ message: /^state: has \d+ tokens with its questions/ })
  })

  it('say nothing about pictures', async () => {
    const { fetch } = open(limited)
    const [path, body] = IMAGE_BODIES[0]
    for (let time = 0; time < 3; time++)
      expect((await fetch(post({ ...body, n: 4 }, { path, headers: bearer('b') }))).status).toBe(200)
  })

  it('of keys that say nothing are those of the server', async () => {
    const { fetch } = createServer({ engine: stub.engine, keys: ['a'], limits: { tokensPerMinute: 10 } })
    expect((await fetch(post(BODY, { headers: bearer('a') }))).status).toBe(422)
  })
})
