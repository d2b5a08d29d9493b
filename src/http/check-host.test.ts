import { describe, expect, it } from 'vitest'
import { createServer } from './server.ts'
import { bearer, BODY, get, json, post } from './test-support/requests.ts'
import { createStubEngine } from './test-support/stub-engine.ts'

const { engine } = createStubEngine()

describe('a server without keys', () => {
  const server = createServer({ engine, hosts: ['ai.example.org'] })

  it.each([
    ['localhost', 200],
    ['localhost:8080', 200],
    ['app.localhost:8080', 200],
    ['127.0.0.1:8080', 200],
    ['192.168.0.7', 200],
    ['[::1]:8080', 200],
    ['AI.example.org:443', 200],
    ['evil.example.org', 421],
    ['localhost.evil.org', 421],
    ['127.0.0.1.evil.org:8080', 421],
    ['[::1].evil.org', 421],
    ['', 421],
  ])('answers %j with %i', async (host, status) => {
    const response = await server.fetch(post(BODY, { headers: { host } }))
    expect(response.status).toBe(status)
    if (status === 421) expect(await json(response)).toMatchObject({ message: /^Host: a server without keys answers/ })
  })

  it.each(['/livez', '/readyz', '/healthz', '/openapi.json', '/console'])(
    'answers %s by any name, as no key is needed for it anywhere',
    async (path) => {
      const response = await server.fetch(get(path, { headers: { host: 'evil.example.org' } }))
      // Where the console is not bundled its page is missing.
      expect(response.status).not.toBe(421)
    },
  )
})

it.each(['ai.example.org:443', 'https://ai.example.org', 'ai.example.org/', ''])(
  'refuses %j as a name of its own, which no request would have',
  (host) => {
    expect(() => createServer({ engine, hosts: [host] })).toThrow(
      /^hosts\.0: must be the name of a host without scheme, port or path/,
    )
  },
)

it('says nothing about hosts where there are keys', async () => {
  const server = createServer({ engine, keys: ['k'] })
  expect((await server.fetch(post(BODY, { headers: { host: 'any.org', ...bearer('k') } }))).status).toBe(200)
})
