import { expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { BODY, get, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toNextHandlers } from './next.ts'

// Next.js itself brings native code and is not installed here: these are the calls that its App Router makes.
const handlers = toNextHandlers(createServer({ engine: createStubEngine().engine }))
const params = (values: Record<string, string | string[]>) => ({ params: Promise.resolve(values) })

it('answers what the catch-all segment stands for, below whatever comes before it', async () => {
  const path = { path: ['v1', 'systemone'], tenant: 'some one' }
  for (const prefix of ['', '/ai', '/base/some%20one/ai']) {
    const response = await handlers.POST(post(BODY, { path: `${prefix}/v1/systemone?x=1` }), params(path))
    expect([prefix, response.status]).toEqual([prefix, 200])
  }
  expect((await handlers.GET(get('/ai/v1/models'), params({ path: ['v1', 'models'] }))).status).toBe(200)
})

it('gives its own errors for other paths and methods', async () => {
  expect((await handlers.GET(get('/ai/nope'), params({ path: ['nope'] }))).status).toBe(404)
  expect((await handlers.GET(get('/ai'), params({}))).status).toBe(404)
  expect(
    (await handlers.DELETE(get('/ai/v1/models', { method: 'DELETE' }), params({ path: ['v1', 'models'] }))).status,
  ).toBe(405)
})

it('says of a body that the app has read why there is nothing to answer', async () => {
  const request = post(BODY, { path: '/ai/v1/systemone' })
  await request.json()
  const response = await handlers.POST(request, params({ path: ['v1', 'systemone'] }))
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('in front of the service')])
})

it('passes on that the client hung up', async () => {
  const request = post(BODY, { path: '/ai/v1/systemone', signal: AbortSignal.abort() })
  expect((await handlers.POST(request, params({ path: ['v1', 'systemone'] }))).status).toBe(499)
})
