import { once } from 'node:events'
import { connect as connectHttp2, constants, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer } from '../index.ts'
import { listen, type Listening } from '../test-support/listen.ts'
import { createStubEngine, pngHeader } from '../test-support/stub-engine.ts'
import { createNodeServer, toNodeListener } from './node.ts'

let listening: Listening
beforeEach(async () => {
  listening = await listen(
    createNodeServer(
      createServer({ engine: createStubEngine().engine, keys: [{ key: 'right', scopes: ['decide', 'metrics'] }] }),
    ),
  )
})
afterEach(() => listening.close())

/** Sends bytes as they are, and reads until the server closes the connection. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(listening.port, '127.0.0.1', () => socket.write(text))
    socket
      .on('data', (chunk) => {
        received += chunk.toString()
      })
      .on('error', reject)
      .on('close', () => resolve(received))
  })
}

const HEAD = 'Host: x\r\nConnection: close\r\n'
const KEY = 'Authorization: Bearer right\r\n'
const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

describe('a client that keeps its side of the connection open', () => {
  /** Resolves once the server has let go of it: what it sends then is answered with a reset. */
  async function isLetGo(text: string): Promise<string> {
    const socket = connect({ port: listening.port, host: '127.0.0.1', allowHalfOpen: true })
    let received = ''
    socket.on('data', (chunk) => (received += chunk.toString()))
    const ended = new Promise((resolve) => socket.on('end', resolve).on('error', resolve))
    const closed = new Promise((resolve) => socket.on('close', resolve))
    socket.write(text)
    await ended
    const timer = setInterval(() => socket.write('x'), 10)
    await closed
    clearInterval(timer)
    return received
  }

  it('is let go of after a request that is no HTTP', async () => {
    expect(statuses(await isLetGo('garbage\r\n\r\n'))).toEqual(['400'])
  })

  it('is let go of in a request that turns into garbage while another is answered', async () => {
    const received = await isLetGo(`GET /v1/models HTTP/1.1\r\nHost: x\r\n${KEY}\r\ngarbage\r\n\r\n`)
    expect(statuses(received).length).toBeLessThanOrEqual(2)
  })
})

describe('what is answered before any route', () => {
  it.each([
    ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', '400'],
    ['two Hosts', `GET /healthz HTTP/1.1\r\n${HEAD}Host: y\r\n\r\n`, '400'],
    ['no Host in HTTP/1.0', 'GET /healthz HTTP/1.0\r\n\r\n', '200'],
    ['an expectation of its own', `GET /healthz HTTP/1.1\r\n${HEAD}Expect: more\r\n\r\n`, '200'],
    ['headers of 20 kB', `GET /healthz HTTP/1.1\r\n${HEAD}X: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['no HTTP', 'garbage\r\n\r\n', '400'],
  ])('has the form of the service with %s', async (_, request, status) => {
    const received = await exchange(request)
    expect(statuses(received)).toEqual([status])
    expect(received).toMatch(/\r\nx-request-id: \S+\r\n/)
    expect(received).toMatch(/\r\nx-typesafe-request-id: \S+\r\n/)
    if (status !== '200')
      expect(JSON.parse(received.split('\r\n\r\n')[1]!)).toMatchObject({
        error_type: 'invalid_request',
        error: { code: 'invalid_request' },
      })
  })

  it('is read to its last header', async () => {
    const many = 'x:\r\n'.repeat(3000)
    const ask = (last: string) => exchange(`GET /v1/models HTTP/1.1\r\n${HEAD}${many}${last}\r\n`)
    expect(statuses(await ask(KEY))).toEqual(['200'])
    expect(statuses(await ask(`${KEY}Host: y\r\n`))).toEqual(['400'])
  })

  it.each([
    ['alone', ''],
    ['behind another request', `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('is 405 where it asks for a tunnel, %s', async (_, before) => {
    const received = await exchange(`${before}CONNECT elsewhere:443 HTTP/1.1\r\nHost: elsewhere:443\r\n\r\n`)
    expect(statuses(received)).toEqual([...(before && ['200']), '405'])
    expect(received).toMatch(/\r\nallow: \r\n/)
    expect(JSON.parse(received.split('\r\n\r\n').at(-1)!)).toMatchObject({ error_type: 'method_not_allowed' })
  })

  it('is 408, which clients try again, where the request does not arrive in time', async () => {
    const http = createNodeServer(createServer({ engine: createStubEngine().engine }))
    // As Node does it, which looks for such connections every 30 seconds.
    http.on('connection', (socket) =>
      http.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket),
    )
    const slow = await listen(http)
    let received = ''
    for await (const chunk of connect(slow.port, '127.0.0.1')) received += chunk
    expect(statuses(received)).toEqual(['408'])
    expect(received).not.toContain('x-should-retry')
    await slow.close()
  })
})

describe('requests that are sent before the last one is answered', () => {
  const ask = 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n'
  const last = `GET /livez HTTP/1.1\r\n${HEAD}\r\n`

  it('are answered where they are a hundred, one hundred after the other', async () => {
    expect(statuses(await exchange(ask.repeat(99) + last))).toEqual(Array.from({ length: 100 }, () => '200'))
    const socket = connect(listening.port, '127.0.0.1')
    for (let round = 0; round < 3; round++) {
      socket.write(ask.repeat(100))
      for (let count = 0; count < 100;) count += statuses(String((await once(socket, 'data'))[0])).length
    }
    socket.destroy()
  })

  it('end the connection where they are more', async () => {
    expect(statuses(await exchange(ask.repeat(100) + last)).length).toBeLessThanOrEqual(100)
    const flood = await exchange(ask.repeat(50_000)).catch((error: NodeJS.ErrnoException) => error.code)
    expect(['', 'ECONNRESET', 'EPIPE']).toContain(flood)
  })
})

describe('requests that try to smuggle another', () => {
  const hidden = 'GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer right\r\n\r\n'
  it.each([
    ['two lengths', `Content-Length: 2\r\nContent-Length: ${hidden.length}\r\n`],
    ['a length and chunks', `Content-Length: ${hidden.length}\r\nTransfer-Encoding: chunked\r\n`],
    ['an unknown coding', 'Transfer-Encoding: xchunked\r\n'],
    ['chunks spelled with a tab', 'Transfer-Encoding:\tchunked, identity\r\n'],
    ['a length that is no number', 'Content-Length: +2\r\n'],
    ['a folded header', 'X: a\r\n Content-Length: 5\r\n'],
    ['a space before the colon', 'Content-Length : 5\r\n'],
    ['a bare line feed', 'X: a\nContent-Length: 5\r\n'],
    ['a null byte', 'X: a\0b\r\n'],
  ])("by %s get one refusal in the service's form, and nothing behind it", async (_, headers) => {
    const received = await exchange(`POST /v1/systemone HTTP/1.1\r\n${HEAD}${headers}\r\n${hidden}`)
    expect(statuses(received)).toHaveLength(1)
    expect(received).toMatch(/^HTTP\/1\.1 4\d\d/)
    expect(received).toContain('"error_type":')
    expect(received).not.toContain('"object":"list"')
  })
})

describe('requests that try another way in', () => {
  it.each([
    [
      'two keys of which one is right',
      `GET /v1/models HTTP/1.1\r\n${HEAD}Authorization: Bearer wrong\r\n${KEY}`,
      '401',
    ],
    ['an absolute address', `GET http://elsewhere/v1/models HTTP/1.1\r\n${HEAD}${KEY}`, '200'],
    ['an address that looks like a host', `GET //v1/models HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['an address that is none', `GET http:// HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['a way back', `GET /console/../metrics HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['an escaped way back', `GET /console/%2E%2e/metrics HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['a way back by a backslash', `GET /console\\..\\metrics HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['a way back in an absolute address', `GET http://x/console/../metrics HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['an asterisk', `OPTIONS * HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['an escaped path', `GET /v1%2fmodels HTTP/1.1\r\n${HEAD}${KEY}`, '404'],
    ['TRACE', `TRACE /v1/models HTTP/1.1\r\n${HEAD}${KEY}`, '405'],
    ['a method override', `GET /v1/systemone HTTP/1.1\r\nX-HTTP-Method-Override: POST\r\n${HEAD}${KEY}`, '405'],
    ['another host', `GET /v1/models HTTP/1.1\r\nHost: evil"<x>\r\nConnection: close\r\n${KEY}`, '200'],
  ])('%s', async (_, request, status) => {
    expect(statuses(await exchange(`${request}\r\n`))).toEqual([status])
  })
})

describe('a body that never ends', () => {
  it('because its client hung up, or broke its chunks, leaves nothing behind', async () => {
    const head = `POST /v1/systemone HTTP/1.1\r\nHost: x\r\n${KEY}Content-Type: application/json\r\n`
    await new Promise<void>((resolve) => {
      const socket = connect(listening.port, '127.0.0.1', () =>
        socket.write(`${head}Content-Length: 100\r\n\r\n{"state":`, () => socket.destroy()),
      )
      socket.on('close', () => resolve())
    })
    const broken = await exchange(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"sta\r\nnonsense\r\n`)
    expect(statuses(broken)).toEqual(['400'])
    const metrics = () => exchange(`GET /metrics HTTP/1.1\r\n${HEAD}${KEY}\r\n`)
    await expect.poll(metrics, { timeout: 120_000 }).toContain('tessera_http_requests_in_flight 1\n')
    expect(await metrics()).toContain('status="499"} 2\n')
  })
})

it('stops what a client of HTTP/2 cancels, and charges nothing', async () => {
  const stub = createStubEngine()
  stub.hold()
  const server = createServer({ engine: stub.engine, keys: [{ key: 'right', id: 'me', prepaid: '1' }] })
  const listener = toNodeListener(server) as unknown as Parameters<typeof createHttp2Server>[1]
  const http = createHttp2Server(listener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const client = connectHttp2(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const path = '/v1/images/edits'
  const headers = { authorization: 'Bearer right', 'content-type': 'application/json' }
  const stream = client.request({ ':path': path, ':method': 'POST', ...headers })
  stream.on('error', () => {}).end(JSON.stringify({ prompt: 'x', image: pngHeader(64, 64).toString('base64') }))
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
  stream.close(constants.NGHTTP2_CANCEL)
  await vi.waitUntil(() => stub.counts.aborted === 1, { timeout: 120_000 })
  client.destroy()
  await Promise.all([server.close(), new Promise((resolve) => http.close(resolve))])
  expect(await server.usage('me')).toEqual([])
})

it('answers what is no HTTP at all in its own form', async () => {
  const received = await exchange('hello\r\n\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  expect(JSON.parse(received.split('\r\n\r\n')[1]!)).toMatchObject({ error_type: 'invalid_request' })
})

it('refuses timeouts that nothing reads, and no numbers', () => {
  const server = createServer({ engine: createStubEngine().engine })
  const misspelt = { keepAlive: 5 } as object
  expect(() => createNodeServer(server, misspelt)).toThrow('keepAlive: is no option of createNodeServer')
  // To Node it would be no limit at all.
  expect(() => createNodeServer(server, { requestMs: 0 })).toThrow(
    'requestMs: must be a whole number from 1 to 2147483647, got 0',
  )
  // Node would take it for less than it is.
  expect(() => createNodeServer(server, { headersMs: 2 ** 32 + 1 })).toThrow('headersMs: must be a whole number from 1')
  expect(() => createNodeServer(server, { headersMs: Number.NaN })).toThrow('headersMs: must be a whole number')
})
