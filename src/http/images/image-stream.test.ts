import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { InternalError, OverloadedError } from '../../errors/index.ts'
import { createServer, type RequestLog, type ServerOptions } from '../index.ts'
import { bearer, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, pngHeader, type StubEngine } from '../test-support/stub-engine.ts'

let stub: StubEngine
let entries: RequestLog[]
beforeEach(() => {
  stub = createStubEngine()
  entries = []
})
const serve = (options: Omit<ServerOptions, 'engine'> = {}) =>
  createServer({ engine: stub.engine, log: (entry) => entries.push(entry), ...options })

/** Holds every call to the engine until the returned function is called. */
function hold(): () => void {
  const open = stub.hold()
  return open
}

describe.each(IMAGE_BODIES)('%s with stream: true', (path, body) => {
  const request = { ...body, stream: true }
  const name = path.endsWith('edits') ? 'image_edit.completed' : 'image_generation.completed'
  const keys = [{ key: 'a', id: 'me', prepaid: '1', concurrency: 1 }]
  const headers = bearer('a')

  it('tells of its steps in comments and of every picture in an event', async () => {
    const server = serve({ keys })
    const response = await server.fetch(post({ ...request, n: 2 }, { path, headers }))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    const parts = (await response.text()).split('\n\n')
    expect(parts.slice(0, 2)).toEqual([
      ': progress {"stage":"denoising","done":0,"total":1}',
      ': progress {"stage":"denoising","done":1,"total":1}',
    ])
    const [width, height] = name === 'image_edit.completed' ? [96, 64] : [1024, 1024]
    const events = parts.slice(2, 4).map((part) => part.split('\ndata: '))
    for (const [event, data] of events) {
      expect(event).toBe(`event: ${name}`)
      expect(JSON.parse(data!)).toEqual({
        type: name,
        b64_json: pngHeader(width!, height!).toString('base64'),
        created_at: expect.any(Number),
        size: `${width}x${height}`,
        quality: 'auto',
        background: 'opaque',
        output_format: 'png',
        usage: {
          input_tokens: 0,
          input_tokens_details: { image_tokens: 0, text_tokens: 0 },
          output_tokens: 0,
          total_tokens: 0,
        },
      })
    }
    expect(parts.slice(4)).toEqual([''])
    expect(await server.usage('me')).toMatchObject([{ requests: 1, units: 2, cost: '0.4' }])
    expect(entries).toMatchObject([{ status: 200, route: path, account: 'me' }])
  })

  it.each([
    [402, () => {}, { n: 4 }],
    [422, () => {}, { n: 0 }],
    [529, () => (stub.failure = new OverloadedError()), {}],
  ] as const)('answers %d as ever before it has begun', async (status, prepare, change) => {
    prepare()
    const { fetch } = serve({ keys: [{ ...keys[0]!, prepaid: '0.6' }] })
    const response = await fetch(post({ ...request, ...change }, { path, headers }))
    expect([response.status, await json(response)]).toEqual([
      status,
      expect.objectContaining({ error: expect.any(Object) }),
    ])
    expect(entries).toMatchObject([{ status }])
  })

  it('ends with an error event where it fails on the way, and charges nothing', async () => {
    const server = serve({ keys })
    const open = hold()
    const response = await server.fetch(post(request, { path, headers }))
    stub.failure = new InternalError('a secret')
    open()
    const [, event] = (await response.text()).split('\n\n')
    expect(event).toMatch(/^event: error\ndata: /)
    expect(event).not.toContain('secret')
    expect(JSON.parse(event!.split('data: ')[1]!)).toMatchObject({
      error_type: 'internal_error',
      error: { type: 'internal_error', code: 'internal_error', message: expect.any(String) },
    })
    expect(await server.usage('me')).toEqual([])
    expect(entries).toMatchObject([{ status: 500, error: stub.failure }])
  })

  it('keeps its place under the limits of the key until it has ended', async () => {
    const { fetch } = serve({ keys })
    const open = hold()
    const response = await fetch(post(request, { path, headers }))
    expect((await fetch(post(body, { path, headers }))).status).toBe(429)
    open()
    await response.text()
    expect((await fetch(post(body, { path, headers }))).status).toBe(200)
  })

  it.each(['reads no further', 'aborts'] as const)('stops when the client %s, and charges nothing', async (how) => {
    const server = serve({ keys })
    hold()
    const controller = new AbortController()
    const response = await server.fetch(post(request, { path, headers, signal: controller.signal }))
    if (how === 'aborts') controller.abort()
    else await response.body!.cancel()
    await vi.waitUntil(() => entries.length === 1, { timeout: 120_000 })
    expect(entries).toMatchObject([{ status: 499 }])
    expect(stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect(await server.usage('me')).toEqual([])
    stub.gate = Promise.resolve()
    expect((await server.fetch(post(body, { path, headers }))).status).toBe(200)
  })

  it('goes on for a client that joined it when the first one aborts', async () => {
    const { fetch } = serve({ keys: [{ ...keys[0]!, concurrency: 2 }] })
    const open = hold()
    const controller = new AbortController()
    const ask = (init: RequestInit = {}) =>
      fetch(post(request, { path, headers: { ...headers, 'idempotency-key': 'k' }, ...init }))
    await ask({ signal: controller.signal })
    const joined = ask()
    // Nothing tells when it has joined.
    await sleep(20)
    controller.abort()
    await vi.waitUntil(() => entries.length === 1, { timeout: 60_000 })
    open()
    const response = await joined
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(`event: ${name}`)])
  })

  it('is finished before the server closes', async () => {
    const server = serve({ keys })
    const open = hold()
    const response = await server.fetch(post(request, { path, headers }))
    let closed = false
    const closing = server.close().finally(() => {
      closed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    open()
    expect(await response.text()).toContain(`event: ${name}`)
    await closing
  })
})
