import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createServer, type Server } from '../server.ts'
import { bearer, BODY, get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

let server: Server
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
  server = createServer({
    engine: createStubEngine().engine,
    keys: [
      { key: 'root', scopes: ['admin'] },
      { key: 'second', scopes: ['admin'] },
      { key: 'customer', id: 'customer' },
    ],
  })
})
afterEach(() => {
  vi.useRealTimers()
})

const ask = async (key: string) => {
  const response = await server.fetch(get('/v1/admin/keys', { headers: bearer(key) }))
  return { status: response.status, wait: response.headers.get('retry-after'), body: await json(response) }
}
const statusOf = async (key: string) => (await ask(key)).status

it('a key has 120 calls of operators in a minute', async () => {
  for (let call = 0; call < 120; call++) expect(await statusOf('root')).toBe(200)
  vi.advanceTimersByTime(20_000)
  expect(await ask('root')).toMatchObject({ status: 429, wait: '40', body: { error_type: 'rate_limit_error' } })
  expect(await statusOf('second')).toBe(200)
  vi.advanceTimersByTime(40_000)
  expect(await statusOf('root')).toBe(200)
})

it('after 20 wrong keys in a minute no key is tried that was not let in before, be it right or wrong', async () => {
  expect(await statusOf('root')).toBe(200)
  for (let guess = 0; guess < 19; guess++) expect(await statusOf(`guess-${guess}`)).toBe(401)
  // A key that is right and not for operators is wrong here.
  expect(await statusOf('customer')).toBe(403)
  vi.advanceTimersByTime(15_000)
  for (const key of ['guess', 'second', 'customer']) {
    expect(await ask(key)).toMatchObject({ status: 429, wait: '45', body: { message: /^too many wrong keys/ } })
  }
  expect(await statusOf('root')).toBe(200)
  const work = post(BODY, { headers: bearer('customer') })
  expect((await server.fetch(work)).status).toBe(200)
  vi.advanceTimersByTime(45_000)
  expect([await statusOf('guess'), await statusOf('second')]).toEqual([401, 200])
})
