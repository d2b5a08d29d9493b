import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createServer } from '../index.ts'
import { listen } from '../test-support/listen.ts'
import { type Mounted, MOUNT_LIMIT, mounts } from '../test-support/mounts.ts'
import { bearer, BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toExpressErrorHandler, toExpressHandler } from './express.ts'

const server = () => createServer({ engine: createStubEngine().engine, keys: ['k'], maxBodyBytes: MOUNT_LIMIT })

describe('behind express.json(), what cannot be read', () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
  let alone: Mounted
  let behind: Mounted
  beforeAll(async () => {
    alone = await mounts.node!(server())
    behind = await mounts['express, behind a body parser']!(server())
  })
  afterAll(() => Promise.all([alone, behind].map(({ close }) => close())))

  const BROKEN = '{"state": "CANARY'
  const JSON_TYPE = { 'content-type': 'application/json' }
  it.each<[string, string, Record<string, string>, string]>([
    ['no JSON', '/v1/systemone', { ...bearer('k'), ...JSON_TYPE }, BROKEN],
    ['no JSON, for clients of OpenAI', '/v1/decisions', { ...bearer('k'), ...JSON_TYPE }, BROKEN],
    ['nothing', '/v1/systemone', { ...bearer('k'), ...JSON_TYPE }, ''],
    ['too large', '/v1/systemone', { ...bearer('k'), ...JSON_TYPE }, 'x'.repeat(MOUNT_LIMIT + 1)],
    ['no JSON and no key', '/v1/systemone', { ...bearer('wrong'), ...JSON_TYPE }, BROKEN],
    ['no JSON and no path', '/v1/nope', { ...bearer('k'), ...JSON_TYPE }, BROKEN],
    ['not of JSON', '/v1/systemone', { ...bearer('k'), 'content-type': 'text/plain' }, BROKEN],
  ])('because it is %s is answered as without it', async (_, path, headers, body) => {
    const [expected, got] = await Promise.all(
      [alone, behind].map(async ({ url, prefix }) => {
        const response = await fetch(`${url}${prefix}${path}`, { method: 'POST', headers, body })
        return [response.status, response.headers.get('x-should-retry'), await response.json()]
      }),
    )
    expect(got).toEqual(expected)
    expect(JSON.stringify(got)).not.toContain('CANARY')
    expect(printed).not.toHaveBeenCalled()
  })

  it('because it is packed in a wrong way is refused, and what the parser unpacks is answered', async () => {
    const send = (encoding: string, body: BodyInit) =>
      fetch(`${behind.url}${behind.prefix}/v1/systemone`, {
        method: 'POST',
        headers: { ...bearer('k'), ...JSON_TYPE, 'content-encoding': encoding },
        body,
      })
    expect((await send('x-odd', '{}')).status).toBe(415)
    for (const encoding of ['gzip', 'br']) {
      const response = await send(encoding, 'CANARY that is not packed')
      expect([response.status, await response.json()]).toMatchObject([
        422,
        { message: 'body: must be packed as its Content-Encoding says' },
      ])
    }
    expect((await send('gzip', new Uint8Array(gzipSync(JSON.stringify(BODY))))).status).toBe(200)
  })
})

it.each([
  ['/v1/images/edits', 'multipart/form-data; boundary=x'],
  ['/v1/batches', 'application/jsonl'],
])('behind a parser of everything, what is too large for it is refused as that: %s', async (path, type) => {
  const app = express()
    .use(express.raw({ type: '*/*', limit: 100 }))
    .use(toExpressHandler(server()), toExpressErrorHandler(server()))
  const { url, close } = await listen(app)
  const headers = { ...bearer('k'), 'content-type': type }
  const response = await fetch(url + path, { method: 'POST', headers, body: 'x'.repeat(200) })
  await close()
  expect([response.status, await response.json()]).toMatchObject([413, { message: 'body: must be at most 100 bytes' }])
})

it("leaves the app's own errors to the app", async () => {
  const app = express()
    .get('/ai', () => {
      throw new Error('of the app')
    })
    .use('/ai', toExpressErrorHandler(server()))
    .use((error: Error, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(418).send(error.message)
    })
  const listening = await listen(app)
  const response = await fetch(`${listening.url}/ai`)
  expect([response.status, await response.text()]).toEqual([418, 'of the app'])
  await listening.close()
})
