import { createServer as createHttpServer } from 'node:http'
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
