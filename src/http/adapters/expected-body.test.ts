import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServer, type Server } from '../index.ts'
import { listen, type Listening } from '../test-support/listen.ts'
import { BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createNodeServer } from './node.ts'

let server: Server
let listening: Listening
beforeEach(async () => {
  server = createServer({ engine: createStubEngine().engine, keys: ['right'] })
  listening = await listen(createNodeServer(server))
})
afterEach(async () => {
  await listening.close()
  await server.close()
})

/** Asks whether to send a body, sends it where it is to, and reads all that is answered. */
function ask(key: string, length: number, body: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    let received = ''
    const head = ['POST /v1/systemone HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close']
    const more = ['Content-Type: application/json', `Content-Length: ${length}`, 'Expect: 100-continue']
    const socket = connect(listening.port, '127.0.0.1', () =>
      socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n`),
    )
    socket.on('data', (data) => {
      if (received === '' && String(data).includes(' 100 ')) socket.write(body)
      received += String(data)
    })
    socket.on('error', reject).on('close', () => {
      resolve(received.split('\r\n').filter((each) => each.startsWith('HTTP/')))
    })
  })
}

it('a client is told to send its body when it is wanted, and not before it is refused', async () => {
  const body = JSON.stringify(BODY)
  expect(await ask('right', body.length, body)).toEqual(['HTTP/1.1 100 Continue', 'HTTP/1.1 200 OK'])
  expect(await ask('wrong', body.length, body)).toEqual(['HTTP/1.1 401 Unauthorized'])
  expect(await ask('right', 2 ** 30, body)).toEqual(['HTTP/1.1 413 Payload Too Large'])
})

it('a client whose refusal takes long is told too, as it sends its body by then', async () => {
  let refuse: (response: Response) => void = () => {}
  const refused = new Promise<Response>((resolve) => (refuse = resolve))
  const slow = await listen(createNodeServer({ fetch: () => refused }))
  let received = ''
  const socket = connect(slow.port, '127.0.0.1').on('data', (data) => (received += String(data)))
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n')
  await expect.poll(() => received, { timeout: 20_000 }).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  socket.write('body')
  refuse(new Response('full', { status: 529 }))
  await expect.poll(() => received, { timeout: 20_000 }).toMatch(/ 529 [^]*full/)
  // What it sent was read, so that it may go on to use its connection.
  expect(received).toMatch(/Connection: keep-alive/i)
  socket.destroy()
  await slow.close()
})
