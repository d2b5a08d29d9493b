import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { listen } from '../test-support/listen.ts'
import { BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toNodeListener } from './node.ts'

it('a framework that answers 404 itself after a handler waits for the listener', async () => {
  const listener = toNodeListener(createServer({ engine: createStubEngine().engine }))
  // As h3 does with handlers of Node's, for Nitro and Nuxt.
  const http = createHttpServer(async (message, response) => {
    await (listener(message, response) as unknown)
    if (!response.headersSent) response.writeHead(404).end()
  })
  const { url, close } = await listen(http)
  const response = await fetch(`${url}/v1/systemone`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(BODY),
  })
  await close()
  expect(response.status).toBe(200)
})

it.each<[string, string, string, unknown]>([
  ['JSON, of which nothing is left', '/v1/systemone', 'application/json', undefined],
  ['lines, of which nothing is left', '/v1/batches', 'application/jsonl', undefined],
  ['a form, of which its texts are left', '/v1/images/edits', 'multipart/form-data; boundary=x', { prompt: 'x' }],
])('a body that another took is said to be that, and not malformed: %s', async (_, path, type, left) => {
  const listener = toNodeListener(createServer({ engine: createStubEngine().engine }))
  // As multer does, and body parsers of Koa.
  const { url, close } = await listen(async (message: IncomingMessage & { body?: unknown }, response) => {
    await message.toArray()
    message.body = left
    listener(message, response)
  })
  const response = await fetch(url + path, { method: 'POST', headers: { 'content-type': type }, body: 'read' })
  await close()
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { message: expect.stringContaining('body: was read by something in front of the service') },
  ])
})

it('a body that another looked at and put back is read', async () => {
  const listener = toNodeListener(createServer({ engine: createStubEngine().engine }))
  const { url, close } = await listen((message: IncomingMessage, response) => {
    message.once('readable', () => {
      message.unshift(message.read() as Buffer)
      listener(message, response)
    })
  })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/v1/systemone`, { method: 'POST', headers, body: JSON.stringify(BODY) })
  await close()
  expect(response.status).toBe(200)
})
