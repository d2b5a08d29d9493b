import { beforeEach, describe, expect, it } from 'vitest'
import { createServer, type KeyConfig, type Server } from '../index.ts'
import { BODY, bearer, get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { usageSchema } from './usage-route.ts'

const KEYS: KeyConfig[] = [
  { key: 'a', id: 'first', freeTokens: 30, prepaid: '1' },
  { key: 'b', id: 'second' },
]
let server: Server
beforeEach(() => {
  server = createServer({ engine: createStubEngine().engine, keys: KEYS })
})
const usageOf = async (key: string) =>
  usageSchema.parse(await json(server.fetch(get('/v1/usage', { headers: bearer(key) }))))

describe('GET /v1/usage', () => {
  it('says what the key used, by month and by day, and what it has left', async () => {
    for (let count = 0; count < 2; count++) await server.fetch(post(BODY, { headers: bearer('a') }))
    await server.fetch(post({ prompt: 'x', n: 2 }, { path: '/v1/images/generations', headers: bearer('a') }))
    const { today, ...usage } = await usageOf('a')
    const rows = [
      // The stub counts 22 tokens for the state; 14 of them all are beyond the allowance.
      { endpoint: 'decisions', requests: 2, input_tokens: 44, images: 0, cost: '0.000000546' },
      { endpoint: 'generations', requests: 1, input_tokens: 0, images: 2, cost: '0.4' },
    ]
    expect(usage).toEqual({
      account: 'first',
      free_tokens: { given: 30, left: 0 },
      prepaid: { given: '1', left: '0.599999454' },
      months: rows.map((row) => ({ month: today.slice(0, 7), ...row })),
      days: rows.map((row) => ({ day: today, ...row })),
      recent: expect.any(Array),
    })
  })

  it('lists the last requests by status, the newest first', async () => {
    await server.fetch(post(BODY, { headers: bearer('a') }))
    await server.fetch(post({}, { headers: bearer('a') }))
    await server.fetch(post(BODY, { headers: bearer('wrong') }))
    const { recent } = await usageOf('a')
    expect(recent.map(({ status, route, units }) => [status, route, units])).toEqual([
      [422, '/v1/systemone', 0],
      [200, '/v1/systemone', 22],
    ])
  })

  it('never shows what another key did', async () => {
    await server.fetch(post(BODY, { headers: bearer('a') }))
    const { today: _, ...usage } = await usageOf('b')
    expect(usage).toEqual({ account: 'second', free_tokens: null, prepaid: null, months: [], days: [], recent: [] })
    const forged = get('/v1/usage?account=first', { headers: { ...bearer('b'), 'x-account': 'first' } })
    expect(await json(server.fetch(forged))).toMatchObject({ account: 'second', days: [] })
  })

  it('needs a key where the server has keys', async () => {
    for (const headers of [{}, bearer('wrong'), bearer('first')]) {
      const response = await server.fetch(get('/v1/usage', { headers }))
      expect(response.status).toBe(401)
      expect(await json(response)).toMatchObject({ error_type: 'authentication_error' })
    }
  })
})
