import express from 'express'
import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { createServer } from '../index.ts'
import { listen } from '../test-support/listen.ts'
import { MOUNT_LIMIT as LIMIT } from '../test-support/mounts.ts'
import { BODY, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toExpressHandler } from './express.ts'
import { toHonoHandler } from './hono.ts'

describe('a body that was read before', () => {
  it.each<[string, express.RequestHandler]>([
    ['json', express.json({ limit: LIMIT })],
    ['text', express.text({ type: '*/*' })],
    ['bytes', express.raw({ type: '*/*' })],
  ])('by Express as %s is used', async (_, parser) => {
    const server = createServer({ engine: createStubEngine().engine })
    const { url, close } = await listen(express().use(parser, toExpressHandler(server)))
    const depth = '['.repeat(10_000) + ']'.repeat(10_000)
    const statuses = await Promise.all(
      [JSON.stringify(BODY), depth, '[]'].map(async (body) => {
        const response = await fetch(`${url}/v1/systemone`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        })
        return response.status
      }),
    )
    await close()
    expect(statuses).toEqual([200, 422, 422])
  })

  it.each([
    ['/v1/systemone', 'application/vnd.x+json', JSON.stringify(BODY), 200],
    ['/v1/batches', 'application/jsonl', JSON.stringify({ custom_id: 'a', ...BODY }), 202],
  ])('is read where the parser of Express 4 left it: %s of %s', async (path, type, body, status) => {
    const server = createServer({ engine: createStubEngine().engine })
    // As body-parser 1 does with what is not of its type.
    const parser: express.RequestHandler = (request, _response, next) => {
      request.body = {}
      next()
    }
    const { url, close } = await listen(express().use(parser, toExpressHandler(server)))
    const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body })
    await close()
    await server.close()
    expect(response.status).toBe(status)
  })

  it('by Hono is used', async () => {
    const server = createServer({ engine: createStubEngine().engine })
    const app = new Hono()
    app.use(async ({ req }, next) => {
      await req.json()
      await next()
    })
    app.all('/ai/*', toHonoHandler(server))
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(BODY) }
    expect((await app.request('/ai/v1/systemone', init)).status).toBe(200)
  })

  it.each(['/ai/v1/systemone', '/ai/nope'])('by Hono past its own methods is told at %s', async (path) => {
    const app = new Hono()
    app.use(async ({ req }, next) => {
      await req.raw.json()
      await next()
    })
    app.all('/ai/*', toHonoHandler(createServer({ engine: createStubEngine().engine })))
    const response = await app.request(post(BODY, { path }))
    expect([response.status, await response.text()]).toEqual(
      path === '/ai/nope' ? [404, expect.any(String)] : [422, expect.stringContaining('in front of the service')],
    )
  })

  it.each(['formData', 'parseBody', 'text'] as const)('by Hono as a form with %s() is used', async (read) => {
    const stub = createStubEngine()
    const app = new Hono()
    app.use(async ({ req }, next) => {
      await req[read]()
      await next()
    })
    app.all('/ai/*', toHonoHandler(createServer({ engine: stub.engine })))
    const body = new FormData()
    body.append('prompt', 'x')
    body.append('image', new Blob(['one']), 'a.png')
    expect((await app.request('/ai/v1/images/edits', { method: 'POST', body })).status).toBe(200)
    expect(stub.drawn).toEqual([{ prompt: 'x', image: Buffer.from('one').toString('base64'), n: 1 }])
  })
})

it('an Express app that took longer than the client waited decides nothing and charges nothing', async () => {
  const stub = createStubEngine()
  stub.hold()
  const server = createServer({ engine: stub.engine, keys: [{ key: 'right', id: 'me', freeTokens: 1000 }] })
  let gone = () => {}
  const slow: express.RequestHandler = (_request, response, next) => {
    response.once('close', () => setImmediate(next))
    gone()
  }
  const { url, close } = await listen(express().use(express.json(), slow, toExpressHandler(server)))
  const controller = new AbortController()
  gone = () => controller.abort()
  const headers = { 'content-type': 'application/json', authorization: 'Bearer right' }
  const init = { method: 'POST', headers, body: JSON.stringify(BODY), signal: controller.signal }
  await expect(fetch(`${url}/v1/systemone`, init)).rejects.toThrow()
  await vi.waitUntil(() => stub.counts.aborted === 1, { timeout: 120_000 })
  await server.close()
  expect([stub.counts, await server.usage('me')]).toEqual([{ decided: 0, aborted: 1, running: 0 }, []])
  await close()
})
