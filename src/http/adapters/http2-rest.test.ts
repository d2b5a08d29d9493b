import { once } from 'node:events'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toNodeListener } from './node.ts'

it('no more is read over HTTP/2 of a body that was refused, and its connection goes on', async () => {
  const server = createServer({ engine: createStubEngine().engine, keys: ['k'], maxBodyBytes: 100_000 })
  const http = createHttp2Server(toNodeListener(server) as never)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const client = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  const stream = client.request({ ':path': '/v1/systemone', ':method': 'POST', ...headers })
  let body = ''
  stream.on('data', (data) => (body += String(data)))
  const answered = once(stream, 'response')
  const chunk = Buffer.alloc(50_000)
  const sending = setInterval(() => stream.writable && stream.write(chunk), 5)
  const [{ ':status': status }] = (await answered) as [{ ':status': number }]
  // It goes on to send until it is told not to.
  await expect.poll(() => stream.writable, { timeout: 20_000 }).toBe(false)
  clearInterval(sending)
  expect([status, JSON.parse(body)]).toEqual([413, expect.objectContaining({ error_type: 'invalid_request' })])
  const next = client.request({ ':path': '/livez' })
  const [{ ':status': alive }] = (await once(next.resume(), 'response')) as [{ ':status': number }]
  expect(alive).toBe(200)
  client.destroy()
  await Promise.all([server.close(), new Promise((resolve) => http.close(resolve))])
}, 30_000)
