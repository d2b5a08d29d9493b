import { afterEach, beforeEach, expect, it, vi } from 'vitest'
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

it('answers say nothing of it where no limit holds', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine, keys: KEYS.slice(1) })
  const headers = bearer('other')
  expect(allowance(await fetch(post(BODY, { headers })))).toEqual([null, null, null])
  expect(allowance(await fetch(get('/v1/models', { headers })))).toEqual([null, null, null])
})
