import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createNodeServer } from '../adapters/node.ts'
import { createServer, type Server } from '../index.ts'
import { listen } from '../test-support/listen.ts'
import { bearer, BODY, get, json } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from '../usage/memory-store.ts'
import { type HttpService, serveHttp } from './serve-http.ts'

const HEAD = 'POST /v1/systemone HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

let stub: StubEngine
let server: Server
let service: HttpService
beforeEach(async () => {
  stub = createStubEngine()
  server = createServer({ engine: stub.engine, keys: ['k'] })
  service = await serveHttp(server, '127.0.0.1', 0)
})
afterEach(() => service.close({ graceMs: 0 }))

const send = () =>
  fetch(`${service.url}/v1/systemone`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer('k') },
    body: JSON.stringify(BODY),
  })

async function open(text: string): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  // An answer that nobody reads would keep the socket from closing.
  return socket.resume()
}

describe('the end of a service', () => {
  it('comes with the grace, also under a client that stopped in the midst of its body', async () => {
    const stalled = await open(`${HEAD}Authorization: Bearer k\r\nContent-Length: 100\r\n\r\n{`)
    await sleep(100)
    const began = performance.now()
    await service.close({ graceMs: 500 })
    const took = performance.now() - began
    expect(took).toBeGreaterThan(400)
    expect(took).toBeLessThan(5000)
    if (!stalled.closed) await once(stalled, 'close')
  })

  it('stops and does not charge work that outlasts the grace', async () => {
    stub.hold()
    const running = send().catch((error: Error) => error.message)
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    await service.close({ graceMs: 200 })
    expect(await running).toBe('fetch failed')
    expect([stub.counts.aborted, await server.usage(`key_`)]).toEqual([1, []])
  })

  it('does not wait for a store that is away', async () => {
    const other = await serveHttp({ ...server, close: () => new Promise(() => {}) }, '127.0.0.1', 0)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const closed = other.close({ graceMs: 1000 })
    await vi.advanceTimersByTimeAsync(6000)
    vi.useRealTimers()
    await closed
  })

  it('begins with a time in which requests are answered while /readyz sends others elsewhere', async () => {
    const closing = service.close({ drainMs: 3000 })
    await sleep(50)
    const ready = await fetch(`${service.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', missing: ['draining'] }])
    expect((await fetch(`${service.url}/livez`)).status).toBe(200)
    const answered = await send()
    expect([answered.status, answered.headers.get('connection')]).toEqual([200, 'close'])
    await closing
    await expect(send()).rejects.toThrow('fetch failed')
  })
})

describe('connections', () => {
  it('outlast the 60 seconds of load balancers', async () => {
    const response = await send()
    expect(response.headers.get('keep-alive')).toBe('timeout=65')
  })

  it.each([
    ['headers', { headersMs: 300 }, 'GET /livez HTTP/1.1\r\n'],
    ['a body', { requestMs: 300 }, `${HEAD}Content-Length: 100\r\n\r\n{`],
  ])('with %s that do not arrive in time get 408', async (_, timeouts, text) => {
    stub.hold()
    const slow = await listen(createNodeServer(createServer({ engine: stub.engine }), timeouts))
    const socket = connect(slow.port, '127.0.0.1', () => socket.write(text))
    let received = ''
    for await (const chunk of socket) received += chunk
    expect(received).toMatch(/^HTTP\/1\.1 408 /)
    await slow.close()
  })

  it.each([
    ['without a key', '/v1/systemone', '401'],
    ['to nothing', '/nope', '404'],
  ])('that go on to send a body %s are read within bounds, and closed', async (_, path, status) => {
    const socket = await open(HEAD.replace('/v1/systemone', path) + 'Transfer-Encoding: chunked\r\n\r\n')
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 'x'), Buffer.from('\r\n')])
    const flood = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', flood)
    flood()
    // A reset comes first, which is an error.
    await vi.waitUntil(() => socket.closed, { timeout: 10_000 })
    expect(socket.destroyed).toBe(true)
    expect(received).toContain(`HTTP/1.1 ${status} `)
    // What the kernel's buffers hold comes on top of what is read.
    expect(socket.bytesWritten).toBeLessThan(128 * 2 ** 20)
  })

  it('that are to be closed with the answer are not before the rest of the body has come', async () => {
    const port = Number(new URL(service.url).port)
    const failed = vi.fn<(error: Error) => void>()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', failed)
    socket.write(`${HEAD}Connection: close\r\nContent-Length: 11\r\n\r\n1`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
    socket.resume()
    for (let byte = 0; byte < 10; byte++) {
      await sleep(20)
      socket.write('1')
    }
    socket.end()
    await vi.waitUntil(() => socket.closed, { timeout: 10_000 })
    expect(failed.mock.calls).toEqual([])
  })

  it('whose rest is small stay open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const socket = await open(`${HEAD}Content-Length: 5\r\n\r\n12`)
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.toString()).toMatch(/^HTTP\/1\.1 401 /)
    socket.write(`345GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    const [second] = (await once(socket, 'data')) as [Buffer]
    expect(second.toString()).toMatch(/^HTTP\/1\.1 200 /)
    await vi.advanceTimersByTimeAsync(5500)
    vi.useRealTimers()
    await sleep(50)
    expect(socket.closed).toBe(false)
    socket.destroy()
  })
})

describe('readiness', () => {
  it('asks the store and for the models', async () => {
    const stub = createStubEngine()
    const { engine } = stub
    const readiness = async (options: object) => json(createServer({ engine, ...options }).fetch(get('/readyz')))
    expect(await readiness({})).toEqual({ status: 'ready' })
    expect(await readiness({ requires: ['decide-latest'] })).toEqual({ status: 'ready' })
    expect(await readiness({ requires: ['elsewhere'] })).toEqual({ status: 'unavailable', missing: ['models'] })
    stub.missing = ['decide-latest']
    expect(await readiness({})).toEqual({ status: 'unavailable', missing: ['models'] })
    stub.missing = []
    const store = { ...createMemoryStore(), read: () => Promise.reject(new Error('away')) }
    expect(await readiness({ store })).toEqual({ status: 'unavailable', missing: ['store'] })
    engine.models = async () => []
    expect(await readiness({})).toEqual({ status: 'unavailable', missing: ['models'] })
    engine.models = () => Promise.reject(new Error('away'))
    expect(await readiness({})).toEqual({ status: 'unavailable', missing: ['models'] })
  })

  it('and liveness are told after the end, and without a key', async () => {
    await server.close()
    expect((await server.fetch(get('/livez'))).status).toBe(200)
    expect((await server.fetch(get('/readyz'))).status).toBe(503)
    expect((await server.fetch(get('/healthz'))).status).toBe(529)
  })
})
