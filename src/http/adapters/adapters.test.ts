import { Agent, request as httpRequest } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer, type Server } from '../index.ts'
import { MOUNT_LIMIT as LIMIT, type Mounted, mounts } from '../test-support/mounts.ts'
import { BODY } from '../test-support/requests.ts'
import { createStubEngine, pngHeader } from '../test-support/stub-engine.ts'
import { toFastifyPlugin } from './fastify.ts'

describe.each(Object.entries(mounts))('%s', (name, mount) => {
  let stub: ReturnType<typeof createStubEngine>
  let server: Server
  let mounted: Mounted
  let base: string
  beforeEach(async () => {
    stub = createStubEngine()
    server = createServer({ engine: stub.engine, keys: ['right'], maxBodyBytes: LIMIT })
    mounted = await mount(server)
    base = mounted.url + mounted.prefix
  })
  afterEach(() => mounted?.close())

  const headers = { 'content-type': 'application/json', authorization: 'Bearer right' }
  const send = (body: string, init: RequestInit = {}) =>
    fetch(`${base}/v1/systemone`, { method: 'POST', headers, body, ...init })

  it('answers', async () => {
    const response = await send(JSON.stringify(BODY))
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ model: 'stub' })])
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })

  it('takes names as they are', async () => {
    const body =
      '{"state":"é🎯","questions":{"__proto__":{"type":"noul","instructions":"x"},' +
      '"constructor":{"type":"noul","instructions":"x"}}}'
    expect(Object.keys((await (await send(body)).json()).answers)).toEqual(['__proto__', 'constructor'])
  })

  it('lists models under a query', async () => {
    const response = await fetch(`${base}/v1/models?a=/b?c`, { headers })
    expect(await response.json()).toMatchObject({ object: 'list' })
  })

  it('gives its own errors for paths and methods it does not have', async () => {
    for (const [path, method, status] of [
      ['/nope/x', 'GET', 404],
      ['/v1/systemone', 'GET', 405],
      ['/v1/models', 'DELETE', 405],
    ] as const) {
      const response = await fetch(base + path, { method, headers })
      expect([path, response.status]).toEqual([path, status])
      expect(await response.json()).toMatchObject({ error_type: expect.any(String), message: expect.any(String) })
    }
  })

  it('asks for a key before anything else', async () => {
    const response = await send('{}', { headers: { 'content-type': 'application/json' } })
    expect([response.status, await response.json()]).toEqual([
      401,
      expect.objectContaining({ error_type: 'authentication_error' }),
    ])
  })

  it('takes 200,000 characters as JSON escapes', async () => {
    const escaped = '\\ud83c\\udfaf'.repeat(200_000)
    const response = await send(`{"state":"${escaped}","questions":${JSON.stringify(BODY.questions)}}`)
    expect([response.status, (await response.json()).usage.input_tokens]).toEqual([200, 400_002])
  })

  it('stops the work when the client hangs up', async () => {
    stub.hold()
    const controller = new AbortController()
    // An edit stops at once, where a decision goes on for a while, as its client may ask again.
    const body = JSON.stringify({ prompt: 'x', image: pngHeader(64, 64).toString('base64') })
    const init = { method: 'POST', headers, body, signal: controller.signal }
    const answered = fetch(`${base}/v1/images/edits`, init).catch((error: unknown) => error)
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
    controller.abort()
    await answered
    await vi.waitUntil(() => stub.counts.aborted === 1, { timeout: 120_000 })
    expect(stub.counts.running).toBe(0)
  })

  it('does not take a finished request for one that was hung up', async () => {
    await Promise.all(Array.from({ length: 10 }, async () => (await send(JSON.stringify(BODY))).text()))
    expect(stub.counts).toEqual({ decided: 10, aborted: 0, running: 0 })
  })

  // The parser of an app answers these in its own way: they never get here.
  if (name.includes('parser')) return

  it('refuses broken JSON, other types and what is too large with its own errors', async () => {
    for (const [body, type, status] of [
      ['{', 'application/json', 422],
      ['x', 'text/plain', 415],
      ['x'.repeat(LIMIT + 1), 'application/json', 413],
    ] as const) {
      const response = await send(body, { headers: { ...headers, 'content-type': type } })
      expect([status, await response.json()]).toEqual([
        response.status,
        expect.objectContaining({ error_type: 'invalid_request' }),
      ])
    }
  })

  it.each([
    ['too large', 413, 'x', 5],
    // As much as the server lets through, of which the first byte ends the reading.
    ['no text', 422, '\xff', 3],
  ])('can go on with the connection of a body that was %s', async (_, status, character, megabytes) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const chunk = Buffer.alloc(1_000_000, character, 'latin1')
    const first = await rawPost(
      `${base}/v1/systemone`,
      { ...headers, 'transfer-encoding': 'chunked' },
      agent,
      ...Array.from({ length: megabytes }, () => chunk),
    )
    const next = await rawPost(`${base}/v1/systemone`, headers, agent, JSON.stringify(BODY))
    agent.destroy()
    expect([first.status, next.status, next.reused]).toEqual([status, 200, true])
  })
})

/** Posts chunks over an agent's connection. */
function rawPost(url: string, headers: Record<string, string>, agent: Agent, ...chunks: (string | Buffer)[]) {
  return new Promise<{ status: number | undefined; reused: boolean }>((resolve, reject) => {
    const outgoing = httpRequest(url, { method: 'POST', headers, agent }, (response) => {
      response.resume().on('end', () => resolve({ status: response.statusCode, reused: outgoing.reusedSocket }))
    })
    outgoing.on('error', reject)
    for (const chunk of chunks) outgoing.write(chunk)
    outgoing.end()
  })
}

it.each(['json', '', 'application/', '/json; x'])('Fastify leaves the type %j to the service', async (type) => {
  const app = Fastify()
  await app.register(toFastifyPlugin(createServer({ engine: createStubEngine().engine, keys: ['right'] })), {
    prefix: '/ai',
  })
  const send = (authorization: string) =>
    app.inject({
      method: 'POST',
      url: '/ai/v1/systemone',
      headers: { 'content-type': type, authorization },
      payload: JSON.stringify(BODY),
    })
  for (const [key, status, error_type] of [
    ['wrong', 401, 'authentication_error'],
    ['right', 415, 'invalid_request'],
  ] as const) {
    const response = await send(`Bearer ${key}`)
    expect([response.statusCode, response.json()]).toEqual([status, expect.objectContaining({ error_type })])
    expect(response.headers['x-request-id']).toMatch(/^req_/)
  }
  await app.close()
})

it.each(['4.25.2', '4.0.0', '3.29.5'])(
  'Fastify %s, which cannot send web responses, is refused by name',
  async (version) => {
    const app = { version } as FastifyInstance
    const plugin = toFastifyPlugin(createServer({ engine: createStubEngine().engine }))
    await expect(plugin(app)).rejects.toThrow(`fastify: must be 4.26 or later, got ${version}`)
  },
)

it('a Fastify app keeps the errors of its own hooks', async () => {
  const app = Fastify()
  app.addHook('onRequest', async () => {
    throw Object.assign(new Error('no'), { statusCode: 418 })
  })
  await app.register(toFastifyPlugin(createServer({ engine: createStubEngine().engine })), { prefix: '/ai' })
  expect((await app.inject('/ai/v1/models')).statusCode).toBe(418)
  await app.close()
})

it('leaves the rest of a Fastify app as it was', async () => {
  const app = Fastify()
  await app.register(toFastifyPlugin(createServer({ engine: createStubEngine().engine })), { prefix: '/ai' })
  app.post('/echo', async ({ body }) => body)
  const response = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
  expect(response.json()).toEqual({ a: 1 })
  expect((await app.inject('/ai')).json()).toMatchObject({ error_type: 'not_found' })
  expect((await app.inject('/elsewhere')).json()).toMatchObject({ error: 'Not Found' })
  await app.close()
})
