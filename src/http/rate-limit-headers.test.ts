import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer } from './server.ts'
import { BODY, bearer, get, post } from './test-support/requests.ts'
import { createStubEngine } from './test-support/stub-engine.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const KEYS = [
  { key: 'own', requestsPerMinute: 2 },
  { key: 'other', id: 'other' },
]
const names = ['limit', 'remaining', 'reset'].map((name) => `x-ratelimit-${name}-requests`)
const allowance = ({ headers }: Response) => names.map((name) => headers.get(name))

it('answers say what is left of the minute of their key, also those that are refused', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine, keys: KEYS, limits: { requestsPerMinute: 600 } })
  const send = (key: string, body: unknown = BODY) => fetch(post(body, { headers: bearer(key) }))
  expect(allowance(await send('own'))).toEqual(['2', '1', '60s'])
  vi.advanceTimersByTime(15_500)
  // A body at fault counts as a request.
  expect(allowance(await send('own', {}))).toEqual(['2', '0', '45s'])
  const refused = await send('own')
  expect([refused.status, refused.headers.get('retry-after'), ...allowance(refused)]).toEqual([
    429,
    '45',
    '2',
    '0',
    '45s',
  ])
  expect(allowance(await send('other'))).toEqual(['600', '599', '60s'])
})

describe('tokens of a minute', () => {
  const ofTokens = (response: Response) => ({
    ...Object.fromEntries(
      ['limit', 'remaining', 'reset'].map((name) => [name, response.headers.get(`x-ratelimit-${name}-tokens`)]),
    ),
    status: response.status,
  })
  // The stub counts a token for every character of the state's JSON.
  const stateOf = (tokens: number) => ({ ...BODY, state: 'x'.repeat(tokens - 2) })

  it('are told of answers and of what is refused for them, which takes none', async () => {
    const keys = [{ key: 'k', tokensPerMinute: 100 }, { key: 'free' }]
    const { fetch } = createServer({ engine: createStubEngine().engine, keys })
    const send = async (tokens: number, key = 'k') =>
      ofTokens(await fetch(post(stateOf(tokens), { headers: bearer(key) })))
    expect(await send(40)).toEqual({ limit: '100', remaining: '60', reset: '60s', status: 200 })
    vi.advanceTimersByTime(15_500)
    expect(await send(70)).toEqual({ limit: '100', remaining: '60', reset: '45s', status: 429 })
    expect(await send(60)).toEqual({ limit: '100', remaining: '0', reset: '45s', status: 200 })
    const untold = { limit: null, remaining: null, reset: null }
    // More than a minute ever allows is counted nowhere.
    expect(await send(101)).toEqual({ ...untold, status: 422 })
    expect(await send(40, 'free')).toEqual({ ...untold, status: 200 })
    const pictures = post({ prompt: 'x' }, { path: '/v1/images/generations', headers: bearer('k') })
    expect(ofTokens(await fetch(pictures))).toEqual({ ...untold, status: 200 })
  })
})

it('answers say nothing of it where no limit holds', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine, keys: KEYS.slice(1) })
  const headers = bearer('other')
  expect(allowance(await fetch(post(BODY, { headers })))).toEqual([null, null, null])
  expect(allowance(await fetch(get('/v1/models', { headers })))).toEqual([null, null, null])
})
