import { expect, it } from 'vitest'
import { createNodeServer } from './adapters/node.ts'
import { createServer } from './server.ts'
import { listen } from './test-support/listen.ts'
import { BODY, IMAGE_BODIES } from './test-support/requests.ts'
import { createStubEngine } from './test-support/stub-engine.ts'

const POSTS = [['/v1/systemone', BODY], ['/v1/decisions', {}], ...IMAGE_BODIES] as const
const GETS = ['/v1/models', '/v1/usage', '/openapi.json', '/healthz', '/livez', '/readyz', '/nope', '/v1/systemone']

it('every JSON answer says how long it is, and is not sent in chunks', async () => {
  const service = await listen(createNodeServer(createServer({ engine: createStubEngine().engine, keys: ['k'] })))
  const open = await listen(createNodeServer(createServer({ engine: createStubEngine().engine })))
  for (const { url } of [service, open]) {
    const posts = POSTS.map(([path, body]) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    for (const response of await Promise.all([...posts, ...GETS.map((path) => fetch(url + path))])) {
      const { headers } = response
      const length = (await response.arrayBuffer()).byteLength
      expect([response.url, headers.get('content-type')]).toEqual([response.url, 'application/json'])
      expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([String(length), null])
    }
  }
  await Promise.all([service.close(), open.close()])
})
